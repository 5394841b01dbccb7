import { once } from 'node:events'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { expect } from 'chai'
import { decodedObject } from '../../../../../src/api/meta/object.ts'
import type { VirtualCall } from '../../../../../src/catalog/definition.ts'
import type { ResourceAccess } from '../../../../../src/catalog/resource-access.ts'
import { parseFieldSelector } from '../../../../../src/meta/field-selector.ts'
import { parseLabelSelector } from '../../../../../src/meta/label-selector.ts'
import { failure, notFoundError } from '../../../../../src/meta/status.ts'
import { checkHealth } from '../../../../../src/resources/core/component-status/check-health.ts'
import { checkMember } from '../../../../../src/resources/core/component-status/check-member.ts'
import { componentStatuses } from '../../../../../src/resources/core/component-status/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { issueCertificate } from '../../../../support/certificates.ts'
import { refusalText } from '../../../../support/test-registry.ts'
import { answeredItems, answeredObject } from '../../../../support/virtual-answer.ts'

const REFUSED = 'Get "https://127.0.0.1:10259/healthz": dial tcp 127.0.0.1:10259: connect: connection refused'
const health = async (port: number) => (port === 10257 ? { isHealthy: true, message: 'ok' } : { isHealthy: false, message: REFUSED })
const componentStatusResource = componentStatuses('1.33', [], { health, member: checkMember })

async function ask(
  verb: string,
  name: string,
  get: () => Promise<AnyObject>,
  labels = '',
  fields = '',
  of = componentStatusResource,
): Promise<{ object: AnyObject; items: readonly AnyObject[] }> {
  const selection = { labels: parseLabelSelector(labels), fields: parseFieldSelector(fields) }
  const call = {
    verb,
    name,
    namespace: '',
    dryRun: false,
    api: { get } as unknown as ResourceAccess,
    ctx: { signal: new AbortController().signal },
    selection,
  }
  const answer = await of.virtual?.call(call as unknown as VirtualCall)
  return verb === 'list' ? { object: NONE, items: answeredItems(answer).map(decodedObject) } : { object: answeredObject(answer), items: [] }
}

const NONE: AnyObject = { kind: '', apiVersion: '', metadata: {} }
const here = async (): Promise<AnyObject> => ({ kind: 'Namespace', apiVersion: 'v1', metadata: {} })
const cells = (object: AnyObject) => componentStatusResource.hub.table?.cells(object, 0)

describe('component statuses', () => {
  it('report that the store responds', async () => {
    const { object } = await ask('get', 'etcd-0', here)
    expect(cells(object)).to.deep.equal(['etcd-0', 'Healthy', 'ok', ''])
  })

  it('report why the store does not respond', async () => {
    const { object } = await ask('get', 'etcd-0', () => Promise.reject(failure(503, 'ServiceUnavailable', 'no store')))
    expect(cells(object)).to.deep.equal(['etcd-0', 'Unhealthy', '', 'no store'])
  })

  it('report a healthy store if it is empty', async () => {
    const { object } = await ask('get', 'etcd-0', () => Promise.reject(notFoundError({ group: '', resource: 'namespaces' }, 'kube-system')))
    expect(cells(object)?.[1]).to.equal('Healthy')
  })

  it('are listed', async () => {
    const { items } = await ask('list', '', here)
    expect(items.map(cells)).to.deep.equal([
      ['controller-manager', 'Healthy', 'ok', ''],
      ['scheduler', 'Unhealthy', REFUSED, ''],
      ['etcd-0', 'Healthy', 'ok', ''],
    ])
    expect(items[0]).to.not.have.property('kind')
  })

  const selected: [labels: string, fields: string, names: string[]][] = [
    ['a=b', '', []],
    ['!a', '', ['controller-manager', 'scheduler', 'etcd-0']],
    ['', 'metadata.name=scheduler', ['scheduler']],
    ['', 'metadata.name!=scheduler', ['controller-manager', 'etcd-0']],
  ]
  for (const [labels, fields, names] of selected)
    it(`can be selected by ${labels || fields}`, async () => {
      const { items } = await ask('list', '', here, labels, fields)
      expect(items.map((item: AnyObject) => item.metadata.name)).to.deep.equal(names)
    })

  it('include each member of etcd', async () => {
    const listening = createTcpServer().listen(0, '127.0.0.1')
    const gone = createTcpServer().listen(0, '127.0.0.1')
    await Promise.all([once(listening, 'listening'), once(gone, 'listening')])
    const [there, nowhere] = [listening, gone].map(server => (server.address() as AddressInfo).port)
    gone.close()
    await once(gone, 'close')
    const members = componentStatuses('1.33', [`127.0.0.1:${there}`, `127.0.0.1:${nowhere}`], { health, member: checkMember })
    const { items } = await ask('list', '', here, '', '', members)
    listening.close()
    expect(items.slice(2).map(cells)).to.deep.equal([
      ['etcd-0', 'Healthy', 'ok', ''],
      ['etcd-1', 'Unhealthy', '', `dial tcp 127.0.0.1:${nowhere}: connect: connection refused`],
    ])
  })

  it('report that no scheduler listens', async () => {
    expect(cells((await ask('get', 'scheduler', here)).object)).to.deep.equal(['scheduler', 'Unhealthy', REFUSED, ''])
  })

  it('return an error for unknown components', async () => {
    expect(await refusalText(ask('get', 'proxy', here))).to.equal('500 : Component not found: proxy')
  })
})

describe('the health of a component', () => {
  const { signal } = new AbortController()
  it('contains the address if nothing listens there', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    await new Promise(resolve => closed.close(resolve))
    expect(await checkHealth(port, signal)).to.deep.equal({
      isHealthy: false,
      message: `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    })
  })

  for (const [status, health] of [
    [200, { isHealthy: true, message: 'ok' }],
    [500, { isHealthy: false, message: 'HTTP probe failed with statuscode: 500' }],
  ] as const)
    it(`is requested over TLS without verifying the certificate: ${status}`, async () => {
      const { cert, key } = await issueCertificate({ subject: [{ CN: ['localhost'] }] })
      const server = createServer({ cert, key }, (request, response) =>
        response.writeHead(request.url === '/healthz' ? status : 404).end('ok'),
      )
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      try {
        expect(await checkHealth((server.address() as AddressInfo).port, signal)).to.deep.equal(health)
      } finally {
        server.close()
      }
    })
})
