import { expect } from 'chai'
import { crc32, joined, ownCrc32, shiftBy } from '../../../src/lib/crc32.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'

describe('crc32', () => {
  it('matches RFC 1952', () => {
    // The check value in catalogues of CRCs.
    expect(crc32(Buffer.from('123456789'))).to.equal(0xcbf43926)
    expect(crc32(Buffer.alloc(0))).to.equal(0)
  })

  it("matches the runtime's CRC in JavaScript", () => {
    const random = seededRandom(1)
    for (const size of [0, 1, 7, 255, 4096]) {
      const bytes = Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)))
      expect(ownCrc32(bytes)).to.equal(crc32(bytes))
    }
  })

  it('is combined from those of the parts', () => {
    const random = seededRandom(2)
    for (let i = 0; i < 50; i++) {
      const parts = Array.from({ length: 1 + Math.floor(random() * 6) }, () =>
        Buffer.from(Array.from({ length: Math.floor(random() ** 3 * 70_000) }, () => Math.floor(random() * 256))),
      )
      let crc = 0
      for (const part of parts) crc = joined(crc, shiftBy(part.length), crc32(part))
      expect(crc).to.equal(crc32(Buffer.concat(parts)))
    }
  })
})
