import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'
import { findEtcd, startEtcd } from '../support/etcd.ts'
import { createServerProcess } from '../support/server-process.ts'

const root = join(import.meta.dirname, '../..')
const MANIFEST = join(root, 'manifests/kubernetes/binnacle.yaml')
const OF_THE_CONTAINER = /^--(?:data-dir|secure-port|bind-address|etcd-servers)=/

describe('the manifest for clusters', () => {
  let plane: ControlPlane
  let objects: AnyObject[] = []
  before(async () => {
    plane = await startControlPlane()
    objects = (await plane.apply(pathToFileURL(MANIFEST))) as unknown as AnyObject[]
  })
  after(() => plane?.stop())
  const workload = (kind: string): AnyObject => objects.find(object => object.kind === kind) as AnyObject

  it('is applied without warnings', async () => {
    expect(objects.map(({ kind }) => kind)).to.include.members([
      'Namespace',
      'StatefulSet',
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
    ])
    for (const [kind, path] of [
      ['Deployment', 'apps/v1/namespaces/binnacle/deployments/binnacle'],
      ['StatefulSet', 'apps/v1/namespaces/binnacle/statefulsets/etcd'],
    ] as const) {
      const { apiVersion, metadata, spec } = workload(kind)
      const body = {
        apiVersion,
        kind,
        metadata: { name: metadata.name, namespace: metadata.namespace, annotations: { changed: 'yes' } },
        spec,
      }
      const { status, headers } = await plane.request('PUT', `/apis/${path}?fieldValidation=Strict`, { body })
      expect({ status, warning: headers.warning }).to.deep.equal({ status: 200, warning: undefined })
    }
  })

  it('has pods that satisfy the restricted Pod Security Standard', async () => {
    await plane.until(async () => (await plane.request('GET', '/api/v1/namespaces/binnacle/serviceaccounts/default')).status === 200)
    for (const kind of ['Deployment', 'StatefulSet']) {
      const { spec } = workload(kind).spec.template
      // The claim of a StatefulSet is a volume of its pods.
      const volumes = kind === 'StatefulSet' ? [{ name: 'data', persistentVolumeClaim: { claimName: 'data-etcd-0' } }] : spec.volumes
      const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: kind.toLowerCase() }, spec: { ...spec, volumes } }
      const made = await plane.request('POST', '/api/v1/namespaces/binnacle/pods', { body })
      expect(made.status, JSON.stringify(made.body)).to.equal(201)
    }
  })

  const isOnEtcd = findEtcd() !== undefined
  ;(isOnEtcd ? it : it.skip)(
    `starts a server that its Service reaches by name${isOnEtcd ? '' : ' (skipped: there is no etcd)'}`,
    async () => {
      const etcd = await startEtcd()
      const [{ args }] = workload('Deployment').spec.template.spec.containers
      const server = await createServerProcess(['--etcd-servers', etcd.url, ...args.filter((flag: string) => !OF_THE_CONTAINER.test(flag))])
      try {
        await server.start()
        const [, ca = ''] = /certificate-authority-data: (\S+)/.exec(readFileSync(server.kubeconfig, 'utf8')) ?? []
        const socket = connect({
          host: '127.0.0.1',
          port: Number(new URL(server.secureUrl).port),
          ca: Buffer.from(ca, 'base64'),
          servername: 'binnacle.binnacle.svc',
        })
        await once(socket, 'secureConnect')
        socket.destroy()
      } finally {
        await server.stop()
        await etcd.stop()
      }
    },
  )
})
