import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { expect } from 'chai'
import { createProbeClient, type ProbeClient } from '../support/probe/client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const WATCH_LIST = `${CONFIG_MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`

/** Reads lines of a response until one has this text. Ends the response. */
async function linesUntil(response: IncomingMessage, text: string): Promise<string[]> {
  const plain = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response
  let read = ''
  for await (const part of plain) {
    read += String(part)
    if (read.includes(text) && read.endsWith('\n')) break
  }
  response.destroy()
  return read.trimEnd().split('\n')
}

describe('compressed watches', () => {
  let client: ProbeClient
  let server: ServerProcess

  const start = async (...flags: string[]): Promise<void> => {
    server = await createServerProcess(flags)
    await server.start()
    client = createProbeClient(server.kubeconfig)
    for (const name of ['a', 'b']) await create(name, 'x'.repeat(300_000))
  }
  const create = (name: string, filler: string) =>
    client.ask('POST', CONFIG_MAPS, {
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ metadata: { name }, data: { filler } })),
    })
  const open = (path: string, encoding = 'gzip') => client.open(path, { headers: { 'accept-encoding': encoding } })

  afterEach(async () => {
    client?.close()
    await server?.stop()
  })

  it('begin with the current objects and continue with events', async () => {
    await start('--emulated-version=1.37')
    const response = await open(`${WATCH_LIST}&allowWatchBookmarks=true`)
    expect(response.headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'content-type': 'application/json' })
    const reading = linesUntil(response, '"name":"late"')
    await create('late', '')
    const types = (await reading).map(line => JSON.parse(line)).map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`)
    expect(types).to.deep.equal(['ADDED a', 'ADDED b', 'ADDED kube-root-ca.crt', 'BOOKMARK ', 'ADDED late'])
    const others: [path: string, encoding: string][] = [
      [`${WATCH_LIST}&allowWatchBookmarks=true`, 'identity'],
      [`${WATCH_LIST}&allowWatchBookmarks=true`, 'gzip;q=1'],
      [WATCH_LIST, 'gzip'],
      [`${CONFIG_MAPS}?watch=1&allowWatchBookmarks=true`, 'gzip'],
    ]
    for (const [path, encoding] of others) {
      const plain = await open(path, encoding)
      expect(plain.headers, path).not.to.have.property('content-encoding')
      expect(await linesUntil(plain, '"name":"a"'), path).to.satisfy((lines: string[]) => lines[0]?.startsWith('{"type":"ADDED"'))
    }
  })

  it('are of 1.37 only, and can be turned off', async () => {
    await start('--emulated-version=1.37', '--feature-gates=WatchListCompression=false')
    const response = await open(`${WATCH_LIST}&allowWatchBookmarks=true`)
    expect(response.headers).not.to.have.property('content-encoding')
    response.destroy()
  })
})
