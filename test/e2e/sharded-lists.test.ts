import { expect } from 'chai'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { createProbeClient } from '../support/probe/client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const range = (start: string, end: string): string => `shardRange(object.metadata.uid, '0x${start}', '0x${end}')`
const LOWER = range('0000000000000000', '8000000000000000')
const UPPER = range('8000000000000000', '10000000000000000')
interface ShardedList {
  readonly metadata: { readonly continue?: string; readonly shardInfo?: { readonly selector: string } }
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
}

const NAMES = Array.from({ length: 20 }, (_, i) => `m${String(i).padStart(2, '0')}`)

describe('sharded lists and watches', () => {
  let server: ServerProcess
  let client: JsonClient

  const start = async (...flags: string[]): Promise<void> => {
    server = await createServerProcess(['--emulated-version=1.37', ...flags])
    await server.start()
    client = createJsonClient(server.url)
    for (const name of NAMES) await client.must('POST', CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
  }
  afterEach(async () => {
    client?.close()
    await server?.stop()
  })

  const list = async (selector: string, search = ''): Promise<ShardedList> =>
    JSON.parse(JSON.stringify((await client.ask('GET', `${CONFIG_MAPS}?shardSelector=${encodeURIComponent(selector)}${search}`)).body))
  const names = ({ items }: ShardedList): string[] =>
    items.map(({ metadata: { name } }) => name).filter(name => name !== 'kube-root-ca.crt')

  it('divide the objects, also in pages and watches', async () => {
    await start('--feature-gates=ShardedListAndWatch=true')
    const [lower, upper] = [await list(LOWER), await list(UPPER)]
    expect(lower.metadata.shardInfo).to.deep.equal({ selector: LOWER })
    expect([...names(lower), ...names(upper)].sort()).to.deep.equal(NAMES)
    expect(names(await list(`${LOWER} || ${UPPER}`))).to.deep.equal(NAMES)
    const page = await list(LOWER, '&limit=1')
    expect(page.items).to.have.length(1)
    expect(page.metadata).to.have.property('continue')
    expect(page.metadata).not.to.have.property('remainingItemCount')
    const next = await list(LOWER, `&continue=${page.metadata.continue}`)
    expect([...names(page), ...names(next)]).to.deep.equal(names(lower))
    const probe = createProbeClient(server.kubeconfig)
    const response = await probe.open(
      `${CONFIG_MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&shardSelector=${encodeURIComponent(LOWER)}`,
    )
    await client.must('POST', CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } })
    for (const name of NAMES) await client.must('DELETE', `${CONFIG_MAPS}/${name}`)
    const deleted: string[] = []
    let text = ''
    for await (const part of response) {
      text += String(part)
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const { type, object } of lines.map(line => JSON.parse(line))) if (type === 'DELETED') deleted.push(object.metadata.name)
      if (deleted.length === names(lower).length) break
    }
    response.destroy()
    probe.close()
    expect(deleted).to.deep.equal(names(lower))
  })

  it('ignore the selector while the gate is off', async () => {
    await start()
    const body = await list(LOWER)
    expect(names(body)).to.deep.equal(NAMES)
    expect(body.metadata).not.to.have.property('shardInfo')
  })
})
