/** Labels of the transcript (S1, S2, ...) and sessions of ours: one label is one session and the other way round. */

export interface SessionPair {
  label: string;
  session: string;
}

export class Sessions {
  readonly #byLabel = new Map<string, string>();
  readonly #bySession = new Map<string, string>();

  constructor(pairs: Iterable<SessionPair> = []) {
    for (const { label, session } of pairs) this.bind(label, session);
  }

  /** Takes both for one from now on; false where one of them already belongs to another. */
  bind(label: string, session: string): boolean {
    const known = this.#byLabel.get(label);
    const other = this.#bySession.get(session);
    if (known === undefined && other === undefined) {
      this.#byLabel.set(label, session);
      this.#bySession.set(session, label);
      return true;
    }
    return known === session && other === label;
  }

  copy(): Sessions {
    return new Sessions([...this.#byLabel].map(([label, session]) => ({ label, session })));
  }
}

/** What a signed cookie value of either product carries: JSON in base64 before the first dot. An unreadable value is a session of its own. */
export function sessionFields(value: string): Record<string, string> {
  const payload = value.replace(/^"|"$/g, "").split(".")[0] ?? "";
  try {
    const fields = JSON.parse(Buffer.from(payload, "base64").toString("utf8"));
    if (typeof fields === "object" && fields !== null && typeof fields.session_id === "string") return fields;
  } catch {
    // Not readable: opaque.
  }
  return { session_id: value };
}
