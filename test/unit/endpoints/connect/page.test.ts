import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { rewritePage } from '../../../../src/endpoints/connect/page.ts'
import { type Coding, codingOf } from '../../../../src/endpoints/connect/page-coding.ts'

const gzip = codingOf('gzip') as Coding
const PAGE = gzipSync('<a href="/x">')

const wholeOf = async (body: AsyncIterable<Buffer>): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts)
}

describe('rewritePage', () => {
  it('sends pages without a coding while too many others are encoded, and in their own afterwards', async () => {
    const begin = () => {
      const from = new PassThrough()
      return { from, ...rewritePage(from, gzip, link => `/p${link}`) }
    }
    const open = Array.from({ length: 256 }, begin)
    expect(open.filter(({ isDecoded }) => isDecoded)).to.deep.equal([])
    const more = begin()
    expect(more.isDecoded).to.equal(true)
    more.from.end(PAGE)
    expect((await wholeOf(more.body)).toString()).to.equal('<a href="/p/x">')
    await Promise.all(
      open.map(async ({ body }) => {
        body.destroy()
        await once(body, 'close')
      }),
    )
    const last = begin()
    expect(last.isDecoded).to.equal(false)
    last.from.end(PAGE)
    expect(gunzipSync(await wholeOf(last.body)).toString()).to.equal('<a href="/p/x">')
  })
})
