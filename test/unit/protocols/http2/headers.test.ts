import { expect } from 'chai'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { HeaderDecoder } from '../../../../src/protocols/http2/header-decoder.ts'
import { HeaderEncoder } from '../../../../src/protocols/http2/header-encoder.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const decoder = (): HeaderDecoder => new HeaderDecoder(1 << 20, 1000)
const decoded = (hex: string): string[] => decoder().decode(bytes(hex)).fields

const FIRST = [':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'www.example.com']
const SECOND = [...FIRST, 'cache-control', 'no-cache']
const THIRD = [':method', 'GET', ':scheme', 'https', ':path', '/index.html', ':authority', 'www.example.com', 'custom-key', 'custom-value']

describe('header decoding', () => {
  // RFC 7541, appendix C.2.
  it('decodes a literal field with indexing', () => {
    expect(decoded('400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572')).to.eql(['custom-key', 'custom-header'])
  })
  it('decodes a literal field without indexing', () => {
    expect(decoded('040c 2f73 616d 706c 652f 7061 7468')).to.eql([':path', '/sample/path'])
  })
  it('decodes a literal field that is never indexed', () => {
    expect(decoded('1008 7061 7373 776f 7264 0673 6563 7265 74')).to.eql(['password', 'secret'])
  })
  it('decodes a long text in steps', () => {
    // A literal with the name "a", and 100,000 bytes of the code of "0".
    const block = Buffer.concat([bytes('1001 61ff a18c 06'), Buffer.alloc(100_000)])
    const steps = decoder().decodeInSteps(block)
    let yields = 0
    let last = steps.next()
    for (; !last.done; last = steps.next()) yields++
    expect(last.value.fields).to.eql(decoder().decode(block).fields)
    expect(last.value.fields[1]).to.equal('0'.repeat(160_000))
    expect(yields).to.be.at.least(3)
  })
  for (const [how, read] of [
    ['in one piece', (one: HeaderDecoder, block: Buffer) => void one.decode(block)],
    ['in steps', (one: HeaderDecoder, block: Buffer) => void runAtOnce(one.decodeInSteps(block))],
  ] as const)
    it(`retains nothing of a block that was decoded ${how}, as its connection may be idle for long`, async () => {
      const one = decoder()
      // The buffer must not be referenced after the read.
      const readOne = (): WeakRef<Buffer> => {
        const block = Buffer.concat([bytes('1001 61 7f 8107'), Buffer.alloc(1024, 'b')])
        read(one, block)
        return new WeakRef(block)
      }
      const block = readOne()
      await collectGarbage()
      expect(block.deref()).to.equal(undefined)
      expect(one.decode(bytes('82')).fields).to.eql([':method', 'GET'])
    })
  it('decodes an indexed field', () => expect(decoded('82')).to.eql([':method', 'GET']))

  // Appendices C.3 and C.4: three requests on one connection, the later ones by the table that the first have filled.
  for (const [how, blocks] of [
    [
      'without Huffman coding',
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
    ],
    [
      'in the Huffman code',
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
    ],
  ] as const)
    it(`decodes requests with text ${how}`, () => {
      const one = decoder()
      expect(blocks.map(block => one.decode(bytes(block)).fields)).to.eql([FIRST, SECOND, THIRD])
    })

  // Appendix C.6: the table holds 256 bytes only, so that entries leave it.
  it('evicts entries when the table is full', () => {
    const one = decoder()
    const first = one.decode(
      bytes(
        '3fe1 01 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
      ),
    ).fields
    expect(first).to.eql([
      ':status',
      '302',
      'cache-control',
      'private',
      'date',
      'Mon, 21 Oct 2013 20:13:21 GMT',
      'location',
      'https://www.example.com',
    ])
    const second = one.decode(bytes('4883 640e ffc1 c0bf')).fields
    expect(second).to.eql([
      ':status',
      '307',
      'cache-control',
      'private',
      'date',
      'Mon, 21 Oct 2013 20:13:21 GMT',
      'location',
      'https://www.example.com',
    ])
    expect(() => one.decode(bytes('c2'))).to.throw('no field has the index 66')
  })

  for (const [fault, block] of [
    ['an index of none', 'ff80 01'],
    ['index 0', '80'],
    ['a text that continues after the block', '0003 6162'],
    ['an integer without end', 'ffff ffff ffff ffff ff01'],
    ['a table larger than was allowed', '3fe2 1f'],
    ['a change of the table behind a field', '8220'],
    ['a third change of the table', '2020 20'],
    ['many changes of the table', '20'.repeat(1000)],
    ['padding of zeros', '0081 1800'],
    ['padding of eight bits', '0082 1fff 00'],
    ['the end of a text within it', '0084 ffff fffc 00'],
  ] as const)
    it(`rejects ${fault}`, () =>
      expect(() => decoded(block))
        .to.throw()
        .with.property('code', 9))

  it('accepts two size changes of the table at the start of each block', () => {
    const one = decoder()
    for (let i = 0; i < 3; i++) expect(one.decode(bytes('203f e11f 82')).fields).to.eql([':method', 'GET'])
  })

  it('validates an indexed field once, however often it is used', () => {
    let checked = 0
    const one = new HeaderDecoder(1 << 20, 1000, undefined, (name, value) => {
      checked += name.length + value.length
      return true
    })
    const entry = Buffer.concat([bytes('4001 78 7f a11e'), Buffer.alloc(4000, 'y')])
    one.decode(entry)
    const { fields, tooLarge } = one.decode(Buffer.alloc(255, 0xbe))
    expect({ fields: fields.length, tooLarge }).to.eql({ fields: 510, tooLarge: false })
    expect(checked).to.equal(4001)
  })

  for (const [block, isMalformed] of [
    ['40 01 61 01 62', false],
    ['40 01 41 01 62', true],
    ['40 01 61 01 0a', true],
    ['40 0a 636f 6e6e 6563 7469 6f6e 05 636c 6f73 65', true],
    ['b9', true],
  ] as const)
    it(`reports whether a message is malformed, also for indexed fields: ${block}`, () => {
      const one = decoder()
      expect(one.decode(bytes(block)).isMalformed).to.equal(isMalformed)
      expect(one.decode(bytes('82')).isMalformed).to.equal(false)
      if (block.startsWith('40')) expect(one.decode(bytes('be')).isMalformed).to.equal(isMalformed)
    })

  it('stops at more than twice the maximum size', () =>
    expect(() => new HeaderDecoder(100, 1000).decode(Buffer.alloc(1000, 0x82)))
      .to.throw('more headers than are taken')
      .with.property('code', 11))

  it('decodes the rest of an oversized block to update the table', () => {
    const one = new HeaderDecoder(150, 1000)
    const { fields, tooLarge } = one.decode(Buffer.concat([bytes('8240 01 61 7f 00'), Buffer.alloc(127, 'x'), bytes('40 01 62 01 63')]))
    expect({ fields, tooLarge }).to.eql({ fields: [':method', 'GET'], tooLarge: true })
    expect(one.decode(bytes('be')).fields).to.eql(['b', 'c'])
  })
})

describe('header encoding', () => {
  const long = 'ü'.repeat(300)
  it('produces decodable blocks', () => {
    const { fields } = decoder().decode(
      Buffer.from(
        new HeaderEncoder().answer(409, ['Audit-Id', 'a', 'Content-Type', 'application/json', 'X-Long', long, 'X-Empty', ''], true),
      ),
    )
    expect(fields.filter((_, i) => fields[i - (i % 2)] !== 'date')).to.eql([
      ':status',
      '409',
      'audit-id',
      'a',
      'content-type',
      'application/json',
      'x-long',
      long,
      'x-empty',
      '',
    ])
    expect(Date.parse(fields[fields.indexOf('date') + 1] as string)).to.be.closeTo(Date.now(), 2000)
  })
  it('sets the table size to 0 first', () => expect(new HeaderEncoder().answer(200, [], true)[0]).to.equal(0x20))
  for (const headers of [
    ['a b', 'c'],
    ['', 'c'],
    ['a', 'b\r\nc: d'],
    ['a', '€'],
  ])
    it(`rejects ${JSON.stringify(headers)}`, () => expect(() => new HeaderEncoder().answer(200, headers, false)).to.throw(TypeError))
})
