import { crc32 } from 'node:zlib'
import { expect } from 'chai'
import { combineCrc32, shiftBy } from '../../../src/lib/joined-crc.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'

describe('joined', () => {
  it('combines the CRCs of parts to that of the whole', () => {
    const random = seededRandom(2)
    for (let i = 0; i < 50; i++) {
      const parts = Array.from({ length: 1 + Math.floor(random() * 6) }, () =>
        Buffer.from(Array.from({ length: Math.floor(random() ** 3 * 70_000) }, () => Math.floor(random() * 256))),
      )
      let crc = 0
      for (const part of parts) crc = combineCrc32(crc, shiftBy(part.length), crc32(part))
      expect(crc).to.equal(crc32(Buffer.concat(parts)))
    }
  })
})
