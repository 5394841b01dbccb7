import { expect } from 'chai'
import { parseYaml } from '../../../src/codec/yaml.ts'
import { octetFault } from '../../../src/codec/yaml-octets.ts'

/** Bytes after `a: `, and go-yaml's errors. */
const faults: readonly (readonly [octets: string, message: string])[] = [
  ['ff', 'invalid leading UTF-8 octet'],
  ['9c', 'invalid leading UTF-8 octet'],
  ['f888808080', 'invalid leading UTF-8 octet'],
  ['c328', 'invalid trailing UTF-8 octet'],
  ['e2820a', 'invalid trailing UTF-8 octet'],
  ['e282', 'incomplete UTF-8 octet sequence'],
  ['c080', 'invalid length of a UTF-8 sequence'],
  ['e08080', 'invalid length of a UTF-8 sequence'],
  ['f0808080', 'invalid length of a UTF-8 sequence'],
  ['eda080', 'invalid Unicode character'],
  ['f4908080', 'invalid Unicode character'],
  ['01ff', 'control characters are not allowed'],
  ['ff01', 'invalid leading UTF-8 octet'],
]

describe('YAML that is not UTF-8', () => {
  for (const [octets, message] of faults)
    it(`rejects ${octets} with go-yaml's message`, () =>
      expect(() => parseYaml(Buffer.concat([Buffer.from('a: é '), Buffer.from(octets, 'hex')]))).to.throw(`yaml: ${message}`))

  it('rejects invalid UTF-8 in JSON, comments and later documents as well', () => {
    for (const [before, after] of [
      ['{"a":"', '"}'],
      ['a: 1 # ', '\n'],
      ['a: 1\n---\n', ''],
    ] as const)
      expect(() => parseYaml(Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)]))).to.throw(
        'yaml: invalid leading UTF-8 octet',
      )
  })

  it('finds no fault in UTF-8', () => expect(octetFault(Buffer.from('\ufeffaé€😀\ufffd'))).to.equal(undefined))
})
