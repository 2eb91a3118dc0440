import { describe, expect, test } from "vitest";
import { studentTQuantile } from "../../src/metrics/index.ts";

/** P(0 < T < t) by Simpson's rule over the angle a with T = sqrt(df) tan(a), where the density is proportional to cos(a)^(df - 1). */
function centralHalf(t: number, df: number): number {
  const integrate = (end: number): number => {
    const steps = 20_000;
    const h = end / steps;
    let total = 0;
    for (let i = 0; i <= steps; i++) total += Math.cos(i * h) ** (df - 1) * (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2);
    return (total * h) / 3;
  };
  return integrate(Math.atan(t / Math.sqrt(df))) / integrate(Math.PI / 2) / 2;
}

describe("quantile of Student's t", () => {
  test.each([
    [1, 12.706204736174707],
    [2, 4.302652729749464],
    [3, 3.182446305283708],
    [4, 2.7764451051977934],
    [5, 2.570581835636314],
    [10, 2.2281388519862744],
    [29, 2.045229642132703],
    [100, 1.983971518523552],
  ])("97.5 %% point with %d degrees of freedom is the published one", (df, expected) => {
    expect(Math.abs(studentTQuantile(0.975, df) / expected - 1)).toBeLessThan(1e-13);
  });

  test.each([2.5, 3.7, 8, 50.25, 333, 999])("inverts the distribution function with %d degrees of freedom", (df) => {
    for (const p of [0.55, 0.8, 0.975, 0.9999]) expect(Math.abs(centralHalf(studentTQuantile(p, df), df) - (p - 0.5))).toBeLessThan(1e-10);
  });

  test("the two methods meet at 1,000 degrees of freedom", () => {
    for (const p of [0.6, 0.975, 0.9995]) {
      const [below, at] = [studentTQuantile(p, 1000 - 1e-9), studentTQuantile(p, 1000)];
      expect(Math.abs(below / at - 1)).toBeLessThan(1e-11);
    }
  });

  test("is odd around one half and tends to the normal quantile", () => {
    expect(studentTQuantile(0.5, 7)).toBe(0);
    expect(studentTQuantile(0.25, 7)).toBe(-studentTQuantile(0.75, 7));
    expect(studentTQuantile(0.975, 1e15)).toBeCloseTo(1.959963984540054, 12);
  });

  test.each([
    [0, 3],
    [1, 3],
    [Number.NaN, 3],
    [0.9, 0],
    [0.9, Number.NaN],
  ])("refuses p = %d, df = %d", (p, df) => {
    expect(() => studentTQuantile(p, df)).toThrow(RangeError);
  });
});
