import { expect } from 'chai'
import { decodeHuffman } from '../../../../src/protocols/http2/huffman.ts'

const decode = (hex: string): string | undefined => decodeHuffman(Buffer.from(hex, 'hex'), 0, hex.length / 2)

describe('Huffman coded strings', () => {
  // RFC 7541, appendix C.
  const examples: [text: string, hex: string][] = [
    ['', ''],
    ['www.example.com', 'f1e3c2e5f23a6ba0ab90f4ff'],
    ['no-cache', 'a8eb10649cbf'],
    ['custom-key', '25a849e95ba97d7f'],
    ['302', '6402'],
    ['Mon, 21 Oct 2013 20:13:21 GMT', 'd07abe941054d444a8200595040b8166e082a62d1bff'],
    [
      'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
      '94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
    ],
    ['grpc-status', '9acac8b21234da8f'],
    ['\n\0é', 'fffffff3ff1ffff5ff'],
  ]
  for (const [text, hex] of examples) it(`decodes ${JSON.stringify(text)}`, () => expect(decode(hex)).to.equal(text))

  it('decodes every byte', () => {
    // Output of Go's encoder.
    expect(
      decode(
        'ffc7fffd8fffffe2fffffe3fffffe4fffffe5fffffe6fffffe7fffffe8ffffeafffffff3fffffa7fffffabffffffdfffffebfffffecfffffedfffffeefffffefffffff0ffffff1ffffff2fffffffbfffffcffffffd3fffffd7fffffdbfffffdffffffe3fffffe7fffffebfffffed4fe3f9ffaffcabf1febfafefe7fdfd2cbb00089969b71d79fb9f7fff20ffbff3ff50ddbd7f061c58f265cd9f469d5af66dddbf871e5f9cff7ff7fffc3ff9ffe45fff4719242cb34e6e9d68a6a3d7dac426defe3cfaf7fffbfe7ffbffdffffffcfffe6ffff4bfff9ffffa3fffd3ffff53fffd5ffffb3fffeb7fffdaffffb7ffff73fffeeffffdeffffebffffbfffffd9ffffdbfffebffffe0ffffeeffffc3ffff8bffff1ffffe4fffee7fffb1ffff97fffd9ffffcdffff9fffffbffffdafffeeffff4ffffb7fffee7fffe8ffffd3fffdeffffd5fffeeffffbdffffe1fffdfffff7fffff5ffffecffff07fff87fffe0ffff17fffedffff87ffff77fffeffffeaffff8bfffe3ffff93ffff87fffcbffff37ffff1fffff83ffffe1fffebfffe3ffff3fffff2ffffa3ffffd9fffff17ffffc7fffff27ffffdefffffbffffff2fffff8fffffb7fff97fff8fffffe6fffffc1fffff87ffffe7fffffc5ffffe5fffe4ffff2fffffd1fffff4ffffffefffffe3fffffc9fffff97fffb3ffffcffffb7fffcdffff4ffff9ffffd1ffffcffffeaffffafffffddffffeffffff4fffff5fffffabffffa7ffffd7fffff9bffffecfffffb7fffff3fffffe8fffffd3fffffabfffff5fffffff7ffffecfffffdbfffffbbfffff7ffffff0fffffbbf',
      ),
    ).to.equal(Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('latin1'))
  })

  const wrong: [why: string, hex: string][] = [
    ['zeros fill it up', 'f1e3c2e5f23a6ba0ab90f480'],
    ['a whole byte of ones fills it up', '6402ff'],
    ['the end is in it', 'ffffffff'],
    ['it ends within a code', 'fffffe'],
  ]
  for (const [why, hex] of wrong) it(`reject one with ${why}`, () => expect(decode(hex)).to.equal(undefined))
})
