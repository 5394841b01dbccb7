import { expect } from 'chai'
import { ManagedFieldsFilter } from '../../../src/audit/managed-fields-filter.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'

/** Filters a text in parts of so many bytes. */
function filtered(text: string, size: number): string {
  const bytes = Buffer.from(text)
  const filter = new ManagedFieldsFilter()
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) parts.push(filter.write(bytes.subarray(at, at + size)))
  return Buffer.concat(parts).toString()
}

const PLACES = ['.metadata', '.items[].metadata', '.rows[].object.metadata']

/** Filters the parsed value. */
function without(value: unknown, path = ''): unknown {
  if (Array.isArray(value)) return value.map(item => without(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => key !== 'managedFields' || !PLACES.includes(path))
  return Object.fromEntries(kept.map(([key, member]) => [key, without(member, `${path}.${key}`)]))
}

describe('ManagedFieldsFilter', () => {
  const cases: [string, string][] = [
    ['{"metadata":{"name":"a","managedFields":[{"a":1}],"uid":"b"},"x":[]}', '{"metadata":{"name":"a","uid":"b"},"x":[]}'],
    ['{"metadata":{"managedFields":[{"a":"}]"}],"uid":"b"}}', '{"metadata":{"uid":"b"}}'],
    ['{"metadata":{"managedFields":[]}}\n', '{"metadata":{}}\n'],
    ['{"items":[{"metadata":{"name":"a","managedFields":[{}]}},{"metadata":{}}]}', '{"items":[{"metadata":{"name":"a"}},{"metadata":{}}]}'],
    [
      '{"rows":[{"cells":["managedFields"],"object":{"metadata":{"managedFields":[1,2]}}}]}',
      '{"rows":[{"cells":["managedFields"],"object":{"metadata":{}}}]}',
    ],
    [
      '{"data":{"managedFields":"mine"},"n":1.0,"b":12345678901234567890}',
      '{"data":{"managedFields":"mine"},"n":1.0,"b":12345678901234567890}',
    ],
    [
      '{"metadata":{"a key that is longer":1,"managedFields":[{"as long a key":1}],"managedFieldz":2}}',
      '{"metadata":{"a key that is longer":1,"managedFieldz":2}}',
    ],
    ['{"spec":{"template":{"metadata":{"managedFields":[1]}}}}', '{"spec":{"template":{"metadata":{"managedFields":[1]}}}}'],
  ]
  for (const [text, expected] of cases)
    for (const size of [1, 7, 1000])
      it(`makes ${expected.trim()} in parts of ${size}`, () => expect(filtered(text, size)).to.equal(expected))

  it('preserves everything else in random JSON', () => {
    const random = seededRandom(11)
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
    const value = (depth: number): unknown => {
      const kind = Math.floor(random() * (depth > 4 ? 4 : 6))
      if (kind === 4) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1))
      return kind === 5 ? object(depth + 1) : pick(['te"x\\t,{}[]', 12, null, true])
    }
    const object = (depth: number): unknown =>
      Object.fromEntries(
        Array.from({ length: Math.floor(random() * 5) }, () => [
          pick(['metadata', 'managedFields', 'items', 'rows', 'object', 'ä"', 'c\\', 'managedFieldsOf']),
          value(depth),
        ]),
      )
    for (let i = 0; i < 2000; i++) {
      const metadata = object(2)
      const root = pick([
        object(0),
        { items: [{ a: 1, metadata, z: value(3) }, { metadata: object(2) }] },
        { rows: [{ cells: [1], object: { metadata } }], metadata },
      ])
      expect(filtered(JSON.stringify(root), 1 + Math.floor(random() * 20))).to.equal(JSON.stringify(without(root)))
    }
  })
})
