import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import type { AnyRequest } from '../../../../src/server/http/any-http.ts'
import { readBody } from '../../../../src/server/http/read-body.ts'

/** A request whose body comes in pieces of these sizes. */
function request(sizes: readonly number[]): { req: AnyRequest; sent: Buffer } {
  const body = new PassThrough()
  const sent = Buffer.from(Array.from({ length: sizes.reduce((sum, size) => sum + size, 0) }, (_, n) => n % 251))
  let at = 0
  const next = (n: number): void => {
    const size = sizes[n]
    if (size === undefined) return void body.end()
    body.emit('data', sent.subarray(at, at + size))
    at += size
    if (n % 1000 === 0) setImmediate(next, n + 1)
    else next(n + 1)
  }
  setImmediate(() => next(0))
  return { req: Object.assign(body, { headers: {} }) as unknown as AnyRequest, sent }
}

describe('readBody', () => {
  for (const [name, sizes] of [
    ['nothing', []],
    ['one piece', [100_000]],
    ['single bytes', Array<number>(50_000).fill(1)],
    ['pieces of all sizes', Array.from({ length: 300 }, (_, n) => (n % 7 === 0 ? 5000 : n))],
  ] as const)
    it(`joins ${name}`, async () => {
      const { req, sent } = request(sizes)
      expect((await readBody(req, 1 << 20, () => {})).equals(sent)).to.equal(true)
    })

  it('takes memory in proportion to the bytes of a body, not to the number of its chunks', async () => {
    const { req } = request(Array<number>(200_000).fill(1))
    let joined = 0
    const concat = Buffer.concat
    Buffer.concat = ((list: readonly Uint8Array[], length?: number) => {
      joined += list.length
      return concat(list, length)
    }) as typeof Buffer.concat
    await readBody(req, 1 << 20, () => {}).finally(() => {
      Buffer.concat = concat
    })
    expect(joined).to.be.below(50)
  })

  it('rejects with 413 if the body is too long', async () => {
    const { req } = request([10, 10])
    const error = await readBody(req, 15, () => {}).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('code', 413)
  })
})
