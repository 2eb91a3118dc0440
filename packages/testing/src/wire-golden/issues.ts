/**
 * Answers to a body that does not validate: their places are binding, types and wording are not. Where a value may be of several types, the
 * reference lists what each of them lacks, with the name of the type in the place; ours lists what the type lacks that the value meant. So ours
 * must name all places of one type, or those of all.
 */
import { differ, isObject, type Place, shown } from "./place.ts";

type Loc = readonly unknown[];

export function compareIssues(expected: readonly Loc[], actual: unknown, place: Place): string[] {
  const got = validationOf(actual);
  const places = expected.map(withoutTags);
  const all = places.map((loc) => loc.filter((part) => !isTypeName(part)));
  const readings = [...new Set([...readingsOf(places), all].map(asText))];
  if (got === undefined) return differ(place, `issues at ${readings.join(" or ")}`, shown(actual));
  const ours = asText(got);
  return readings.includes(ours) ? [] : differ(place, `issues at ${readings.join(" or ")}`, `issues at ${ours}`);
}

/** The `loc` of each issue of a validation answer; undefined for any other value. */
export function validationOf(value: unknown): Loc[] | undefined {
  const detail = isObject(value) ? value.detail : undefined;
  if (!Array.isArray(detail) || !detail.every((issue) => isObject(issue) && Array.isArray(issue.loc))) return undefined;
  return detail.map((issue) => issue.loc);
}

/** Names of types in a `loc`: types of Python and classes of the reference. */
const TYPE_NAME = /[[(]|^(?:str|int|float|bool|dict|list)$|^NeMoGym|Param$/;

function isTypeName(part: unknown): boolean {
  return typeof part === "string" && TYPE_NAME.test(part);
}

/** Behind an element of a list of tagged types stands the tag that was chosen. */
function withoutTags(loc: Loc): Loc {
  const list = loc.findIndex((part) => typeof part === "string" && part.includes("tagged-union["));
  return list < 0 || typeof loc[list + 1] !== "number" ? loc : [...loc.slice(0, list + 2), ...loc.slice(list + 3)];
}

/** Every way to choose one type where there are several: the sets of places that are left, without names of types. */
function readingsOf(locs: readonly Loc[], at: Loc = []): Loc[][] {
  const ends = locs.some((loc) => loc.length === 0) ? [[at]] : [];
  const byHead = Map.groupBy(
    locs.filter((loc) => loc.length > 0),
    (loc) => loc[0],
  );
  const types: Loc[][] = [];
  let fields: Loc[][] = [[]];
  for (const [head, group] of byHead) {
    const rest = group.map((loc) => loc.slice(1));
    if (isTypeName(head)) types.push(...readingsOf(rest, at));
    else fields = readingsOf(rest, [...at, head]).flatMap((reading) => fields.map((known) => [...known, ...reading]));
  }
  const withTypes = types.length === 0 ? fields : types.flatMap((reading) => fields.map((known) => [...known, ...reading]));
  return ends.length === 0 ? withTypes : withTypes.map((reading) => [...reading, at]);
}

function asText(places: readonly Loc[]): string {
  return [...new Set(places.map((loc) => JSON.stringify(loc)))].sort().join(" ");
}
