/** A block of a PEM text (RFC 7468). */
export interface PemBlock {
  /** `CERTIFICATE`. */
  readonly label: string
  /** The block with its first and last line. */
  readonly text: string
  /** The text between these lines. */
  readonly body: string
}

const LINE = /-----(BEGIN|END) ([^-]*)-----/g

/** Returns the blocks of a text whose first and last lines have the same label. Other text is skipped. */
export function* pemBlocks(text: string): Generator<PemBlock> {
  let open: { readonly label: string; readonly start: number; readonly bodyStart: number } | undefined
  for (const { 0: line, 1: side, 2: label = '', index } of text.matchAll(LINE)) {
    const end = index + line.length
    if (side === 'END') {
      if (open?.label === label) yield { label, text: text.slice(open.start, end), body: text.slice(open.bodyStart, index) }
      open = undefined
    } else open = { label, start: index, bodyStart: end }
  }
}
