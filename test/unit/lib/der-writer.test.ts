import { expect } from 'chai'
import { derString, objectIdentifierOf, readDer, sequenceOf } from '../../../src/lib/der.ts'
import {
  derBits,
  derExplicit,
  derIdentifier,
  derImplicit,
  derInteger,
  derOctets,
  derSequence,
  derSet,
  derText,
  derTime,
  derTrue,
} from '../../../src/lib/der-writer.ts'

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')

/** Examples of X.690 and RFC 5280. */
const cases: readonly [string, Buffer, string][] = [
  ['an integer', derInteger(bytes('05')), '02 01 05'],
  ['an integer without needless zeros', derInteger(bytes('00 00 7f')), '02 01 7f'],
  ['an integer that would be negative', derInteger(bytes('80')), '02 02 00 80'],
  ['zero', derInteger(bytes('00 00')), '02 01 00'],
  ['an identifier', derIdentifier('1.2.840.113549'), '06 06 2a 86 48 86 f7 0d'],
  ['an identifier of a large first part', derIdentifier('2.5.29.19'), '06 03 55 1d 13'],
  ['bits', derBits(bytes('06'), 1), '03 02 01 06'],
  ['true', derTrue(), '01 01 ff'],
  ['a text', derText('é'), '0c 02 c3 a9'],
  ['a set in a sequence', derSequence(derSet(derTrue())), '30 05 31 03 01 01 ff'],
  ['a field with its value', derExplicit(3, derTrue()), 'a3 03 01 01 ff'],
  ['a field in place of its tag', derImplicit(2, bytes('78')), '82 01 78'],
  ['a time before 2050', derTime(new Date('2049-12-31T23:59:59.999Z')), `17 0d ${Buffer.from('491231235959Z').toString('hex')}`],
  ['a time from 2050 on', derTime(new Date('2050-01-01T00:00:00Z')), `18 0f ${Buffer.from('20500101000000Z').toString('hex')}`],
]

describe('der-writer', () => {
  for (const [what, written, expected] of cases) it(`writes ${what}`, () => expect(written).to.deep.equal(bytes(expected)))

  for (const length of [0, 127, 128, 255, 256, 65_536])
    it(`writes the length of ${length} bytes`, () => {
      const written = derOctets(Buffer.alloc(length))
      expect(readDer(written)).to.have.length(1)
      expect(readDer(written)[0]?.content).to.have.length(length)
    })

  it('writes what the reader reads', () => {
    const [identifier, text] = sequenceOf(readDer(derSequence(derIdentifier('1.3.6.1.5.5.7.3.2'), derText('client')))[0])
    expect(objectIdentifierOf(identifier)).to.equal('1.3.6.1.5.5.7.3.2')
    expect(derString(text)).to.equal('client')
  })
})
