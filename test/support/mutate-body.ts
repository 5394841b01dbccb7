import type { Format } from '../../src/codec/accept-header.ts'

type Random = () => number

const DEPTHS = [50, 100, 300, 1000, 12_000, 100_000]

/** Openings of containers that nothing closes, so deep that a reader without a bound would run out of stack. */
function nesting(format: Format, depth: number, random: Random): Buffer {
  switch (format) {
    case 'json':
      return Buffer.from((random() < 0.5 ? '[' : '{"a":').repeat(depth))
    case 'yaml':
      return Buffer.from(random() < 0.5 ? '['.repeat(depth) : random() < 0.5 ? '- '.repeat(depth) : '{a: '.repeat(depth))
    case 'cbor':
      return Buffer.from(
        random() < 0.3 ? 'd9d9f7'.repeat(depth) : (random() < 0.5 ? '81' : random() < 0.5 ? '9f' : 'a14161').repeat(depth),
        'hex',
      )
    case 'protobuf':
      return Buffer.alloc(depth, random() < 0.5 ? 0x0b : Buffer.from([0x0a, 0x7f]))
  }
}

/** As deep, and well-formed. */
function balanced(format: Format, depth: number): Buffer {
  switch (format) {
    case 'json':
    case 'yaml':
      return Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`)
    case 'cbor':
      return Buffer.from(`${'81'.repeat(depth)}01`, 'hex')
    case 'protobuf':
      return Buffer.from(`${'0b'.repeat(depth)}${'0c'.repeat(depth)}`, 'hex')
  }
}

/** Values that are too large, too long or malformed, for insertion into bodies. */
const SPLICES: Readonly<Record<Format, readonly (string | Buffer)[]>> = {
  json: [
    '9'.repeat(400),
    '1e999',
    '-0',
    '1.0',
    '"\\ud800"',
    '\0',
    'null',
    '{"__proto__":{"a":1}}',
    '[]',
    '"a":1,"a":2,',
    '18446744073709551616',
    '{',
    '}',
  ],
  yaml: [
    '&a [*a]',
    '*a',
    '<<: ',
    '!!binary ',
    '? ',
    '0x',
    '.inf',
    '|\n',
    '\t',
    '---\n',
    '9'.repeat(400),
    '__proto__: {a: 1}\n',
    '%YAML 9\n',
    "'",
    '"\\xff"',
    '!!',
  ],
  cbor: [
    'ff',
    '1bffffffffffffffff',
    '5bffffffffffffffff',
    '9bffffffffffffffff',
    'bb7fffffffffffffff',
    'f97e00',
    'f0',
    'c24101',
    'c1f97c00',
    '5f',
    'fb7ff0000000000000',
    'd9d9f7',
  ].map(text => Buffer.from(text, 'hex')),
  protobuf: ['ffffffffffffffffff01', 'ffffffff0f', '80808080808080808080', '00', '0b', '0c', '0f', '0a00', '1200', 'ff', '0a7f'].map(text =>
    Buffer.from(text, 'hex'),
  ),
}

/**
 * A body with one to four faults in it: bits flipped, an end cut off, lengths changed, parts repeated, removed or
 * moved, deep nesting. The same for the same numbers.
 */
export function mutateBody(format: Format, body: Buffer, random: Random): Buffer {
  let out: Buffer = Buffer.from(body)
  for (let n = 1 + Math.floor(random() * 4); n > 0; n--) out = mutateOnce(format, out, random)
  return out
}

function mutateOnce(format: Format, body: Buffer, random: Random): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit)
  const at = below(body.length + 1)
  const end = Math.min(body.length, at + 1 + below(40))
  const put = (what: string | Buffer, until = at): Buffer =>
    Buffer.concat([body.subarray(0, at), Buffer.from(what as Buffer), body.subarray(until)])
  const dice = random()
  if (dice < 0.35) {
    for (let n = 1 + below(4); n > 0 && body.length > 0; n--) {
      const place = below(body.length)
      body[place] = (body[place] as number) ^ (1 << below(8))
    }
    return body
  }
  if (dice < 0.45) return body.subarray(0, at)
  if (dice < 0.55) {
    // A length, as likely as not.
    if (at < body.length) body[at] = [0x00, 0x01, 0x7f, 0x80, 0xff, (body[at] as number) + 1, (body[at] as number) - 1][below(7)] as number
    return body
  }
  if (dice < 0.65) return put(body.subarray(at, end))
  if (dice < 0.73) return put('', end)
  if (dice < 0.8) return put(body.subarray(below(body.length + 1)).subarray(0, 40), end)
  if (dice < 0.93) return put(SPLICES[format][below(SPLICES[format].length)] as string | Buffer, random() < 0.5 ? at : end)
  if (dice < 0.95) return Buffer.from(Array.from({ length: below(64) }, () => below(256)))
  if (dice < 0.96) return put(balanced(format, 1 + below(20_000)), end)
  // Mostly not very deep: a hundred thousand levels cost more to make than to refuse.
  return put(nesting(format, DEPTHS[Math.floor(DEPTHS.length * random() ** 3)] as number, random))
}
