import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { DocumentCache } from '../../../../src/endpoints/openapi/document-cache.ts'
import type { OpenApi } from '../../../../src/endpoints/openapi/open-api.ts'
import { decompressBody } from '../../../../src/lib/compressed-body.ts'
import { wholeOf } from '../../../../src/lib/filled-body.ts'

const LONG = Array.from({ length: 40_000 }, (_, i) => `"path-${i}"`).join(',')
const MINUTE = 60_000

/** Documents that were made, in order. */
function setUp() {
  const made: string[] = []
  const document = (id: string, text: string) =>
    (function* () {
      made.push(id)
      yield Buffer.from(text.slice(0, 7))
      yield
      yield Buffer.from(text.slice(7))
    })()
  const parts: Record<string, object> = { 'api/v1': {}, 'apis/apps/v1': {} }
  const openApi: OpenApi = {
    v2: () => document('v2', LONG),
    v2Proto: () => document('v2Proto', 'swagger'),
    paths: () => ['api/v1', 'apis/apps/v1'],
    has: path => path === 'api/v1' || path === 'apis/apps/v1',
    partsOf: path => [parts[path] ?? {}],
    v3: path => document(path, `{"v3":"${path}"}`),
    v3Proto: path => document(`proto ${path}`, path),
  }
  const time = { now: 0 }
  return { made, time, parts, openApi, documents: new DocumentCache(openApi, undefined, undefined, { now: () => time.now }) }
}

const hashOf = (text: string): string => createHash('sha512').update(text).digest('hex').toUpperCase()

describe('KeptDocuments', () => {
  it('keeps a document in compressed form', async () => {
    const { documents } = setUp()
    const document = await documents.v2()
    expect(wholeOf(decompressBody(document)).toString()).to.equal(LONG)
    expect(document.length).to.equal(LONG.length)
    expect(document.hash).to.equal(hashOf(LONG))
    expect(document.pieces.reduce((sum, { deflated }) => sum + deflated.buffer.byteLength, 0)).to.be.below(LONG.length / 3)
    documents.close()
  })

  it('makes it once for concurrent requests', async () => {
    const { made, documents } = setUp()
    await Promise.all([documents.v2(), documents.v2(), documents.v3('api/v1'), documents.v3('api/v1')])
    await Promise.all([documents.v3Index(), documents.v3Index()])
    await documents.v3('api/v1')
    expect(made.sort()).to.deep.equal(['api/v1', 'apis/apps/v1', 'v2'])
    documents.close()
  })

  it('lists documents of aggregated servers behind its own, in pieces and without duplicates', async () => {
    const { openApi } = setUp()
    const foreign = Array.from({ length: 3000 }, (_, i) => ({ path: i === 0 ? 'apis/apps/v1' : `apis/g${i}/v1`, url: `/openapi/v3/${i}` }))
    const v3 = function* () {
      yield
      return foreign
    }
    const documents = new DocumentCache(openApi, undefined, { v3 })
    const index = await documents.v3Index()
    const { paths } = JSON.parse(wholeOf(decompressBody(index)).toString())
    expect(Object.keys(paths)).to.deep.equal(['api/v1', 'apis/apps/v1', ...foreign.slice(1).map(({ path }) => path)])
    expect(paths['apis/apps/v1'].serverRelativeURL).to.match(/^\/openapi\/v3\/apis\/apps\/v1\?hash=/)
    expect(paths['apis/g7/v1']).to.deep.equal({ serverRelativeURL: '/openapi/v3/7' })
    documents.close()
  })

  it('hashes a document without compressing it if only the index was requested', async () => {
    const { made, documents } = setUp()
    await documents.v3Index()
    const hash = await documents.hashOf('api/v1')
    expect(made).to.deep.equal(['api/v1', 'apis/apps/v1'])
    expect((await documents.v3('api/v1')).hash).to.equal(hash)
    expect(made).to.deep.equal(['api/v1', 'apis/apps/v1', 'api/v1'])
    documents.close()
  })

  it('only makes those documents again whose definitions change', async () => {
    const { made, parts, openApi, documents } = setUp()
    const index = await documents.v3Index()
    parts['apis/apps/v1'] = {}
    const next = new DocumentCache(openApi, documents)
    expect(wholeOf(decompressBody(await next.v3Index()))).to.deep.equal(wholeOf(decompressBody(index)))
    expect(made).to.deep.equal(['api/v1', 'apis/apps/v1', 'apis/apps/v1'])
    documents.close()
    next.close()
  })

  it('drops documents that are not requested, and makes them again', async () => {
    const { made, time, documents } = setUp()
    const { hash } = await documents.v2()
    time.now = 4 * MINUTE
    documents.letGo()
    await documents.v2()
    expect(made).to.deep.equal(['v2'])
    time.now = 10 * MINUTE
    documents.letGo()
    expect((await documents.v2()).hash).to.equal(hash)
    expect(made).to.deep.equal(['v2', 'v2'])
    documents.close()
  })

  it('keeps the hashes of dropped documents', async () => {
    const { made, time, documents } = setUp()
    const index = wholeOf(decompressBody(await documents.v3Index())).toString()
    expect(JSON.parse(index).paths['apis/apps/v1']).to.deep.equal({
      serverRelativeURL: `/openapi/v3/apis/apps/v1?hash=${hashOf('{"v3":"apis/apps/v1"}')}`,
    })
    time.now = 10 * MINUTE
    documents.letGo()
    expect(wholeOf(decompressBody(await documents.v3Index())).toString()).to.equal(index)
    expect(made).to.deep.equal(['api/v1', 'apis/apps/v1'])
    documents.close()
  })

  it('has one hash for both forms of a document', async () => {
    const { documents } = setUp()
    const proto = await documents.v3Proto('api/v1')
    expect(wholeOf(decompressBody(proto)).toString()).to.equal('api/v1')
    expect(proto.hash).to.equal((await documents.v3('api/v1')).hash)
    expect(documents.hasV3('apis/other/v1')).to.equal(false)
    documents.close()
  })
})
