import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type ClientHttp2Session, connect } from 'node:http2'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Server, startServer } from '../../src/process/start-server.ts'

/** The files that a section's table names, each once. */
function filesOf(section: string): string[] {
  const text = readFileSync('docs/architecture.md', 'utf8').split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = (text.split('\n### File by file\n')[1] ?? '').split('\n').filter(line => line.startsWith('| '))
  return [...new Set(rows.flatMap(row => row.match(/(?<=`)[\w/-]+\.ts(?=`)/g) ?? []))]
}

/** Sees which files below `src` take part in something: those of which a function is called. */
class Trace {
  readonly #session = new Session()

  async begin(): Promise<void> {
    this.#session.connect()
    await this.#session.post('Profiler.enable')
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  }

  /** Resolves with the files once `run` has. */
  async of(run: () => Promise<unknown>): Promise<Set<string>> {
    await this.#taken()
    await run()
    const called = new Set<string>()
    for (const { url, functions } of await this.#taken()) {
      const [, file] = url.split('/src/')
      // The top-level code of a module is a function without a name at its beginning.
      const isCalled = functions.some(
        ({ functionName, ranges: [range] }) => range && range.count > 0 && (functionName !== '' || range.startOffset > 0),
      )
      if (file !== undefined && isCalled && !url.includes('/node_modules/')) called.add(file)
    }
    return called
  }

  async #taken() {
    return (await this.#session.post('Profiler.takePreciseCoverage')).result
  }

  async end(): Promise<void> {
    await this.#session.post('Profiler.disable')
    this.#session.disconnect()
  }
}

describe('the paths in docs/architecture.md', () => {
  let directory: string
  let server: Server
  let client: ClientHttp2Session
  const trace = new Trace()

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
    writeFileSync(join(directory, 'tokens'), 'admin,admin,1,system:masters\n')
    server = await startServer({
      flags: { 'data-dir': join(directory, 'data'), 'secure-port': '0', 'token-auth-file': join(directory, 'tokens') },
    })
    client = connect(server.url, { ca: server.certificateAuthority })
    await trace.begin()
  })

  after(async () => {
    await trace.end()
    client.close()
    await server.stop()
    rmSync(directory, { recursive: true })
  })

  const open = (method: string, path: string, type = '') =>
    client
      .request({ ':method': method, ':path': path, authorization: 'Bearer admin', ...(type !== '' && { 'content-type': type }) })
      .setEncoding('utf8')

  async function apply(path: string, object: object): Promise<void> {
    const request = open('PATCH', `${path}?fieldManager=test`, 'application/apply-patch+yaml')
    request.end(JSON.stringify(object))
    let text = ''
    for await (const part of request) text += part
    expect(JSON.parse(text), text).to.have.property('metadata')
  }

  const deployment = (image: string): object => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } },
    },
  })
  const configMap = (colour: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { colour } })

  it('list the files of a get, at most 40, each of which runs', async () => {
    const files = filesOf('The life of a read')
    expect(files.filter(file => !existsSync(join('src', file)))).to.deep.equal([])
    expect(files).to.have.length.within(30, 40)
    const path = '/api/v1/namespaces/default/configmaps/read'
    await apply(path, { ...configMap('red'), metadata: { name: 'read' } })
    const get = async (): Promise<string> => {
      let text = ''
      for await (const part of open('GET', path)) text += part
      return text
    }
    // The first response also fills caches.
    await get()
    const called = await trace.of(async () => expect(JSON.parse(await get()).data).to.deep.equal({ colour: 'red' }))
    expect(files.filter(file => !called.has(file) && !COMPOSED.includes(file))).to.deep.equal([])
  })

  it('list the files of an apply, at most 40, each of which runs', async () => {
    const files = filesOf('The life of a write')
    expect(files.filter(file => !existsSync(join('src', file)))).to.deep.equal([])
    expect(files).to.have.length.within(30, 40)
    const path = '/apis/apps/v1/namespaces/default/deployments/web'
    await apply(path, deployment('one'))
    const called = await trace.of(() => apply(path, deployment('two')))
    expect(files.filter(file => !called.has(file) && !COMPOSED.includes(file))).to.deep.equal([])
  })

  it('list the files of an event, at most 16, each of which runs', async () => {
    const files = filesOf('The life of an event')
    expect(files.filter(file => !existsSync(join('src', file)))).to.deep.equal([])
    expect(files).to.have.length.within(10, 16)
    const path = '/api/v1/namespaces/default/configmaps'
    await apply(`${path}/web`, configMap('red'))
    const watch = open('GET', `${path}?watch=true`)
    const events = watch[Symbol.asyncIterator]()
    for (let seen = ''; !seen.includes('"red"'); ) seen += (await events.next()).value
    const called = await trace.of(async () => {
      await apply(`${path}/web`, configMap('blue'))
      for (let seen = ''; !seen.includes('"blue"'); ) seen += (await events.next()).value
    })
    watch.close()
    expect(files.filter(file => !called.has(file))).to.deep.equal([])
  })
})

/** Is called when the server starts: it has the order of the filters. */
const COMPOSED = ['server/handler-chain.ts']
