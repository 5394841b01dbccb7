/** A document that is made in pieces, as a whole. */
export const bytesOf = (pieces: Iterable<Buffer | undefined>): Buffer => Buffer.concat([...pieces].filter(piece => piece !== undefined))
