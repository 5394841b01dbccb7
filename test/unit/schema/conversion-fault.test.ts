import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { types } from '../../../src/catalog/types.ts'
import { conversionFault, conversionText } from '../../../src/schema/conversion-fault.ts'

const CASES: readonly (readonly [string, Json, string | undefined])[] = [
  ['a valid object', { metadata: { name: 'x', labels: { a: 'b' } }, spec: { containers: [{ name: 'c' }] } }, undefined],
  ['null', { metadata: null, spec: null }, undefined],
  ['a list for a string', { metadata: { annotations: { $retainKeys: ['n'] } } }, 'unrecognized type: string'],
  ['an object for a string', { metadata: { name: {} } }, 'unrecognized type: string'],
  ['a whole number for a string', { metadata: { name: 1 } }, 'cannot convert int64 to string'],
  ['a fraction for a string', { metadata: { name: 1.5 } }, 'unrecognized type: string'],
  ['a string for a boolean', { spec: { hostNetwork: 'true' } }, 'unrecognized type: bool'],
  ['a string for an integer', { spec: { priority: '1' } }, 'unrecognized type: int32'],
  ['a fraction for an integer', { spec: { priority: 1.5 } }, 'cannot convert float64 to int32'],
  ['a string for a map', { metadata: { labels: 'a' } }, 'cannot restore map from string'],
  ['an object for a list', { spec: { containers: {} } }, 'cannot restore slice from map'],
  ['a list for a struct', { spec: [] }, 'cannot restore struct from: slice'],
  ['the first in declared order', { spec: { priority: '1' }, metadata: { name: true } }, 'unrecognized type: string'],
  ['a number for a time', { metadata: { creationTimestamp: 5 } }, 'json: cannot unmarshal number into Go value of type string'],
  [
    'a malformed time before a boolean',
    { spec: { hostNetwork: 'true' }, metadata: { creationTimestamp: 'x' } },
    'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  ],
  ['a valid time', { metadata: { creationTimestamp: '2024-01-01T00:00:00Z' }, spec: { hostNetwork: 5 } }, 'unrecognized type: bool'],
  [
    'a malformed quantity',
    { spec: { containers: [{ name: 'c', resources: { limits: { cpu: 'x' } }, tty: 1 }] } },
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
]

describe('conversion fault', () => {
  for (const [name, value, fault] of CASES) it(name, () => expect(conversionFault(types.type('core.Pod'), value)).to.equal(fault))

  it("is the JSON decoder's for bytes", () =>
    expect(conversionFault(types.type('core.Secret'), { data: { a: 'a', b: '1' } })).to.equal(
      'error decoding from json: illegal base64 data at input byte 0',
    ))

  it('names no field for types that decode themselves', () => {
    const decoded = 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string'
    expect(conversionText(types.type('core.Pod'), { metadata: { creationTimestamp: 5 } }, decoded)).to.equal(
      'json: cannot unmarshal number into Go value of type string',
    )
  })
})
