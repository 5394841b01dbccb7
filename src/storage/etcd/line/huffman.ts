/** Bits of the code of each byte, and of the end. The codes follow from them: shorter ones first, and those of one length in the order of the bytes. Source: RFC 7541, appendix B. */
const LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11,
  10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7,
  8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23,
  23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26,
  27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27,
  27, 27, 26, 30,
]

const END = 256
const LONGEST = 30

/** Of each length: the first code, how many there are, and where their symbols begin in the list below. */
const firstCode = new Uint32Array(LONGEST + 1)
const counts = new Uint16Array(LONGEST + 1)
const offsets = new Uint16Array(LONGEST + 1)
const symbols = LENGTHS.map((_, symbol) => symbol).sort((a, b) => LENGTHS[a]! - LENGTHS[b]! || a - b)

for (const length of LENGTHS) counts[length]!++
for (let length = 1, code = 0, offset = 0; length <= LONGEST; length++) {
  code *= 2
  firstCode[length] = code
  offsets[length] = offset
  code += counts[length]!
  offset += counts[length]!
}

/** The text of a Huffman coded string, a character for each byte. Throws a RangeError where it is none. */
export function decodeHuffman(bytes: Buffer): string {
  let out = ''
  let code = 0
  let length = 0
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1)
      length++
      if (length > LONGEST) throw new RangeError('an unknown Huffman code')
      const nth = code - firstCode[length]!
      if (nth < 0 || nth >= counts[length]!) continue
      const symbol = symbols[offsets[length]! + nth]!
      if (symbol === END) throw new RangeError('the end within a Huffman coded string')
      out += String.fromCharCode(symbol)
      code = 0
      length = 0
    }
  }
  // What is left has to be the beginning of the end: ones, and less than a byte of them.
  if (length > 7 || code !== 2 ** length - 1) throw new RangeError('a Huffman coded string ends within a code')
  return out
}
