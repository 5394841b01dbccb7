import { gunzipSync, inflateRawSync } from 'node:zlib'
import { expect } from 'chai'
import { type CompressedPiece, type Piece, passingPiece } from '../../../../src/lib/pieces.ts'
import { seededRandom } from '../../../../src/lib/seeded-random.ts'
import { writeGzip } from '../../../../src/server/http/gzip-pieces.ts'

const HEAD_BYTES = 10

const gzipOf = async (pieces: Iterable<Piece>): Promise<Buffer> => {
  const parts: Buffer[] = []
  await writeGzip(pieces, bytes => {
    parts.push(bytes)
    return true
  })
  return Buffer.concat(parts)
}

describe('writeGzip', () => {
  const random = seededRandom(4)
  const texts = (sizes: readonly number[]): Buffer[] =>
    sizes.map(size => Buffer.from(Array.from({ length: size }, () => 97 + Math.floor(random() * 5))))

  const cases: [string, number[]][] = [
    ['nothing', []],
    ['an empty piece', [0]],
    ['a short piece', [100]],
    ['short and long pieces', [10, 5000, 0, 511, 512, 513, 200_000, 3]],
    ['many pieces', Array.from({ length: 60 }, (_, i) => 100 * i)],
  ]
  for (const [what, sizes] of cases)
    it(`writes one gzip member of ${what}`, async () => {
      const parts = texts(sizes)
      const whole = Buffer.concat(parts)
      const gzip = await gzipOf(parts.map(passingPiece))
      expect(gunzipSync(gzip).equals(whole)).to.equal(true)
      // Some decoders stop after the first member.
      expect(inflateRawSync(gzip.subarray(HEAD_BYTES)).equals(whole)).to.equal(true)
    })

  it('does not compress cached pieces again, at any position', async () => {
    const parts = texts([3000, 70_000, 40_000])
    const kept = new Map<Buffer, CompressedPiece>()
    let made = 0
    const piece = (bytes: Buffer): Piece => ({
      raw() {
        made++
        return bytes
      },
      kept: () => kept.get(bytes),
      keep: compressed => void kept.set(bytes, compressed),
    })
    await gzipOf(parts.map(piece))
    expect(made).to.equal(3)
    const [other] = texts([2000])
    const second = [parts[2]!, other!, parts[0]!, parts[1]!, parts[2]!]
    expect(gunzipSync(await gzipOf(second.map(piece))).equals(Buffer.concat(second))).to.equal(true)
    expect(made).to.equal(4)
  })

  it('stops if write returns false', async () => {
    let asked = 0
    function* endless(): Generator<Piece> {
      for (; asked < 1000; asked++) yield passingPiece(Buffer.alloc(5000))
    }
    let written = 0
    await writeGzip(endless(), async () => ++written < 4)
    expect(written).to.equal(4)
    expect(asked).to.be.lessThan(20)
  })

  it('rejects with the error of a piece', async () => {
    const broken: Piece = {
      ...passingPiece(Buffer.alloc(0)),
      raw: () => {
        throw new Error('it is gone')
      },
    }
    const error = await gzipOf([passingPiece(Buffer.alloc(9000)), broken]).catch(error => error)
    expect(error).to.include({ message: 'it is gone' })
  })
})
