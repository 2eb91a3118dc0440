/** What one answer says, whatever the dialect. */
export interface Turn {
  /** Derived from the request body: 16 hex digits. */
  id: string;
  model: string;
  text: string;
  call: { name: string; arguments: string } | undefined;
}

export const USAGE = { input: 10, output: 5 };
