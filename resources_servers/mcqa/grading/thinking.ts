const TAG = /<(\/?)think(?:ing)?>/gi;

/**
 * Text without its reasoning: `<think>` and `<thinking>` blocks, everything before a closing tag that nothing opened, and everything after
 * an opening tag that nothing closes. Linear in the text. A tag inside a block does not nest: a model that writes about the tag itself
 * must not lose its answer.
 */
export function withoutThinking(text: string): string {
  let kept = "";
  let from = 0;
  let inside = false;
  for (const tag of text.matchAll(TAG)) {
    const closes = tag[1] === "/";
    if (closes) {
      if (!inside) kept = "";
      inside = false;
      from = tag.index + tag[0].length;
    } else if (!inside) {
      kept += text.slice(from, tag.index);
      inside = true;
    }
  }
  return inside ? kept : kept + text.slice(from);
}
