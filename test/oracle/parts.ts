/** A part of an object, as tables and scenarios have it: the rest is left to defaults. */
export interface Parts {
  // biome-ignore lint/suspicious/noExplicitAny: what is read is compared with what is expected
  [member: string]: any
}
