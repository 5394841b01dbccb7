const SPACES = '                                '

/** The same JSON with two spaces a level, as Go's json.Indent writes it: empty objects and arrays stay on one line. Reads the text, so nothing in it changes. */
export function indentJson(json: Buffer): Buffer {
  const text = json.toString('utf8')
  const out: string[] = []
  let depth = 0
  let start = 0
  const newline = () => `\n${depth * 2 <= SPACES.length ? SPACES.slice(0, depth * 2) : ' '.repeat(depth * 2)}`
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 0x22) {
      for (i++; text.charCodeAt(i) !== 0x22; i++) if (text.charCodeAt(i) === 0x5c) i++
      continue
    }
    if (c === 0x7b || c === 0x5b) {
      const next = text.charCodeAt(i + 1)
      if (next === 0x7d || next === 0x5d) {
        i++
        continue
      }
      depth++
      out.push(text.slice(start, i + 1), newline())
      start = i + 1
    } else if (c === 0x7d || c === 0x5d) {
      depth--
      out.push(text.slice(start, i), newline())
      start = i
    } else if (c === 0x2c) {
      out.push(text.slice(start, i + 1), newline())
      start = i + 1
    } else if (c === 0x3a) {
      out.push(text.slice(start, i + 1), ' ')
      start = i + 1
    }
  }
  out.push(text.slice(start))
  return Buffer.from(out.join(''))
}
