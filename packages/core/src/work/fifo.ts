/** A queue, first in, first out, whose members may leave from any place in constant time: tens of thousands wait and may give up in any order. */

export interface Fifo<T> {
  readonly size: number;
  /** Appends; the returned function takes the value out again, and does nothing once it is out. */
  push(value: T): () => void;
  shift(): T | undefined;
}

interface Node<T> {
  value: T;
  before: Node<T> | undefined;
  after: Node<T> | undefined;
  queued: boolean;
}

export function createFifo<T>(): Fifo<T> {
  let head: Node<T> | undefined;
  let tail: Node<T> | undefined;
  let size = 0;

  function unlink(node: Node<T>): void {
    if (!node.queued) return;
    node.queued = false;
    size--;
    if (node.before) node.before.after = node.after;
    else head = node.after;
    if (node.after) node.after.before = node.before;
    else tail = node.before;
    node.before = undefined;
    node.after = undefined;
  }

  return {
    get size() {
      return size;
    },
    push(value) {
      const node: Node<T> = { value, before: tail, after: undefined, queued: true };
      if (tail) tail.after = node;
      else head = node;
      tail = node;
      size++;
      return () => unlink(node);
    },
    shift() {
      const node = head;
      if (node === undefined) return undefined;
      unlink(node);
      return node.value;
    },
  };
}
