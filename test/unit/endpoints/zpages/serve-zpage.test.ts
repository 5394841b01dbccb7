import { expect } from 'chai'
import { serveZPage } from '../../../../src/endpoints/zpages/serve-zpage.ts'
import type { ZPageSource } from '../../../../src/endpoints/zpages/zpage-content.ts'
import { type ZPagePath, zpagePaths } from '../../../../src/endpoints/zpages/zpage-paths.ts'
import { parseGates } from '../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'
import { StatusError } from '../../../../src/meta/status.ts'
import { FakeExchange } from '../../../support/exchange.ts'

const ON = new Map([
  ['ComponentFlagz', true],
  ['ComponentStatusz', true],
])

const sourceOf = (release: Release, given = ON): ZPageSource => ({
  features: parseGates(release, given),
  programVersion: `${release}.0+binnacle`,
  runtimeVersion: 'nodev24.0.0',
  startedAt: Date.UTC(2026, 10, 1, 11, 8, 23),
  cbor: given.get('CBORServingAndStorage') ?? false,
  flags: async () => new Map(Object.entries({ v: '0', 'bind-address': '127.0.0.1' })),
})

interface Page {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly warning: string
}

async function get(release: Release, path: ZPagePath, accept: string | undefined, given = ON): Promise<Page> {
  const exchange = new FakeExchange(path, { headers: accept === undefined ? {} : { accept } })
  try {
    await serveZPage(path, sourceOf(release, given), exchange)
    return {
      status: exchange.status,
      type: exchange.contentType,
      text: exchange.text,
      warning: String(exchange.answerHeaders.warning ?? ''),
    }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return { status: error.status.code ?? 0, type: '', text: error.status.message ?? '', warning: '' }
  }
}

const STATUSZ = 'g=config.k8s.io;v=v1beta1;as=Statusz'
const FLAGZ = 'g=config.k8s.io;v=v1beta1;as=Flagz'
const FROM_36 = 'only the following media types are accepted: application/json, application/yaml, text/plain'

describe('the debugging pages', () => {
  it('exist in the releases whose gate is on', () => {
    const served = (release: Release): string[] => zpagePaths(parseGates(release))
    expect(served('1.33')).to.deep.equal([])
    expect(served('1.35')).to.deep.equal([])
    expect(served('1.36')).to.deep.equal(['/flagz', '/statusz'])
    expect(served('1.37')).to.deep.equal(['/flagz', '/statusz'])
    expect(zpagePaths(parseGates('1.32', new Map([['ComponentStatusz', true]])))).to.deep.equal(['/statusz'])
  })

  it('prints the status as text', async () => {
    const { status, type, text } = await get('1.37', '/statusz', undefined)
    expect([status, type]).to.deep.equal([200, 'text/plain; charset=utf-8'])
    expect(text).to.match(
      /^\napiserver statusz\nWarning: [^\n]*purposes only\.\n\nStarted(?<d>:|: |=| ) Sun Nov {2}1 11:08:23 UTC 2026\nUp\k<d> \d+ hr \d\d min \d\d sec\n/,
    )
    expect(text).to.match(
      /Go version(?<d>:|: |=| ) nodev24.0.0\nBinary version\k<d> 1.37.0\+binnacle\nEmulation version\k<d> 1.37\nPaths\k<d> \/flagz \/healthz \/livez \/metrics \/readyz \/statusz \/version\n$/,
    )
  })

  it('prints the flags as text, sorted, with the same delimiter each time', async () => {
    const { text } = await get('1.37', '/flagz', '*/*')
    expect(text).to.match(/^\napiserver flagz\nWarning: [^\n]*purposes only\.\nbind-address(?<d>:|: |=| )127.0.0.1\nv\k<d>0\n$/)
    const source = sourceOf('1.37')
    const texts = new Set<string>()
    for (let i = 0; i < 20; i++) {
      const exchange = new FakeExchange('/flagz')
      await serveZPage('/flagz', source, exchange)
      texts.add(exchange.text)
    }
    expect(texts.size).to.equal(1)
  })

  // Responses of the handlers of k8s.io/apiserver v0.37.2.
  const structured: [path: ZPagePath, accept: string, status: number, type: string, text: string][] = [
    [
      '/flagz',
      `application/json;${FLAGZ}`,
      200,
      `application/json;${FLAGZ}`,
      '{"kind":"Flagz","apiVersion":"config.k8s.io/v1beta1","metadata":{"name":"apiserver"},"flags":{"bind-address":"127.0.0.1","v":"0"}}\n',
    ],
    [
      '/flagz',
      `*/*;as=Flagz;v=v1beta1;g=config.k8s.io;pretty=1`,
      200,
      `application/json;${FLAGZ}`,
      '{\n  "kind": "Flagz",\n  "apiVersion": "config.k8s.io/v1beta1",\n  "metadata": {\n    "name": "apiserver"\n  },\n  "flags": {\n    "bind-address": "127.0.0.1",\n    "v": "0"\n  }\n}',
    ],
    [
      '/flagz',
      `application/yaml;${FLAGZ}`,
      200,
      `application/yaml;${FLAGZ}`,
      'apiVersion: config.k8s.io/v1beta1\nflags:\n  bind-address: 127.0.0.1\n  v: "0"\nkind: Flagz\nmetadata:\n  name: apiserver\n',
    ],
    ['/flagz', 'application/json', 406, '', FROM_36],
    ['/flagz', `application/json;${STATUSZ}`, 406, '', FROM_36],
    ['/flagz', `application/cbor;${FLAGZ}`, 406, '', FROM_36],
    ['/flagz', 'text/plain;as=Table', 406, '', FROM_36],
    ['/statusz', 'application/json;as=Statusz;v=v1;g=config.k8s.io', 406, '', FROM_36],
    ['/statusz', 'application/yaml;stream=watch', 406, '', FROM_36],
    ['/statusz', 'application/vnd.kubernetes.protobuf', 406, '', FROM_36],
    ['/statusz', 'junk', 406, '', FROM_36],
  ]
  for (const [path, accept, status, type, text] of structured)
    it(`serves ${path} to ${accept}`, async () => {
      expect(await get('1.37', path, accept)).to.deep.equal({ status, type, text, warning: '' })
    })

  it('serves text to a client that prefers JSON of no kind', async () => {
    expect(await get('1.37', '/statusz', 'application/json, text/plain')).to.include({ status: 200, type: 'text/plain; charset=utf-8' })
  })

  it('shows the status with its members in the order of Go', async () => {
    const { text } = await get('1.37', '/statusz', `application/json;${STATUSZ}`)
    const { uptimeSeconds, ...others } = JSON.parse(text)
    expect(uptimeSeconds).to.be.a('number')
    expect(Object.keys(JSON.parse(text)).join()).to.equal(
      'kind,apiVersion,metadata,startTime,uptimeSeconds,goVersion,binaryVersion,emulationVersion,paths',
    )
    expect(others).to.deep.equal({
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1beta1',
      metadata: { name: 'apiserver' },
      startTime: '2026-11-01T11:08:23Z',
      goVersion: 'nodev24.0.0',
      binaryVersion: '1.37.0+binnacle',
      emulationVersion: '1.37',
      paths: ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'],
    })
  })

  it('warns of v1alpha1 since 1.36', async () => {
    const accept = 'application/json;g=config.k8s.io;v=v1alpha1;as=Flagz'
    const { warning } = await get('1.36', '/flagz', accept)
    expect(warning).to.equal('299 - "This version of the flagz endpoint is deprecated. Please use a newer version."')
    expect(await get('1.35', '/flagz', accept)).to.include({ status: 200, warning: '', type: accept })
  })

  it('offers CBOR if its gate is on', async () => {
    const { status, type, text } = await get(
      '1.37',
      '/flagz',
      `application/cbor;${FLAGZ}`,
      new Map([...ON, ['CBORServingAndStorage', true]]),
    )
    expect([status, type]).to.deep.equal([200, `application/cbor;${FLAGZ}`])
    expect(text).to.contain('Flagz')
  })

  it('serves v1alpha1 in JSON only in 1.35', async () => {
    expect(await get('1.35', '/statusz', `application/json;${STATUSZ}`)).to.include({
      status: 406,
      text: 'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, text/plain',
    })
    expect(await get('1.35', '/statusz', 'application/yaml;g=config.k8s.io;v=v1alpha1;as=Statusz')).to.include({
      status: 500,
      text: "content negotiation failed: unsupported media type 'application/yaml'",
    })
  })

  it('serves text only in 1.34 and earlier, under their names', async () => {
    for (const accept of [undefined, 'application/json', 'text/plain;charset=latin1', 'text/plain;a=b;charset=utf-8'])
      expect(await get('1.34', '/flagz', accept), accept).to.include({
        status: 406,
        text: 'media type not acceptable, must be: text/plain\n',
      })
    for (const accept of ['*/*', 'text/*', 'text/plain;charset=UTF-8', 'text/plain;q=0.5', 'application/json, text/plain'])
      expect(await get('1.34', '/flagz', accept), accept).to.include({ status: 200 })
    expect((await get('1.34', '/flagz', '*/*')).text).to.match(/^\nkube-apiserver flags\nWarning: [^\n]*\n\nbind-address/)
    expect((await get('1.33', '/statusz', '*/*')).text).to.match(/^\nkube-apiserver statusz\n[\s\S]*Emulation version.{1,3}1.33\n$/)
    expect((await get('1.34', '/statusz', '*/*')).text).to.match(/^\napiserver statusz\n[\s\S]*Paths.{1,3} \/flagz/)
  })
})
