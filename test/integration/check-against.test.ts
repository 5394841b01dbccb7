import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { check } from '../../src/check/check.ts'
import type { CheckOptions } from '../../src/check/types.ts'
import { runExport } from '../../src/commands/export.ts'
import { runImport } from '../../src/commands/import.ts'
import { ArgumentError } from '../../src/lib/arguments.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../src/testing/types.ts'

const CLUSTER = `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: few, namespace: shop}
spec: {hard: {services: "1"}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: deployer, namespace: shop}
rules: [{apiGroups: [apps], resources: [deployments], verbs: [get, create, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: deployer}
subjects: [{kind: User, name: jane, apiGroup: rbac.authorization.k8s.io}]
`

const INPUT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 5
  selector: {matchLabels: {app: other}}
  template:
    metadata: {labels: {app: other}}
    spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: Service
metadata: {name: second, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: lost, namespace: elsewhere}
`

const found = async (options: CheckOptions): Promise<string[]> => {
  const { findings } = await check({ texts: { a: INPUT }, ...options })
  return findings.map(({ rule, severity, position, by = '' }) => `${position?.line} ${severity} ${rule} ${by}`.trim())
}

/** Findings against the cluster. Only a live server has the manager of the fields. */
const FINDINGS = ['6 error immutable-field', '11 error quota-exceeded ResourceQuota', '18 error missing-namespace']

describe('binnacle check against a cluster', () => {
  let folder = ''
  let plane: ControlPlane
  const quiet = { out: () => {}, err: () => {} }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'check-against-'))
    plane = await startControlPlane({ release: '1.33' })
    await plane.apply(CLUSTER)
    await plane.settled()
    writeFileSync(join(folder, 'kubeconfig'), plane.kubeconfig, { mode: 0o600 })
    writeFileSync(join(folder, 'dump.yaml'), CLUSTER)
    await runImport(['--kubeconfig', join(folder, 'kubeconfig'), '--data-dir', join(folder, 'data')], quiet)
    await runExport(['--data-dir', join(folder, 'data'), '--snapshot', join(folder, 'snapshot.db')], quiet)
  })
  after(async () => {
    await plane.stop()
    rmSync(folder, { recursive: true })
  })

  it('reads a live server, and writes nothing to it', async () => {
    const writes = (): number => plane.requests.filter(({ verb }) => verb !== 'get' && verb !== 'list' && verb !== 'watch').length
    const before = writes()
    expect(await found({ against: join(folder, 'kubeconfig'), fieldManager: 'ci' })).to.have.members([
      ...FINDINGS,
      ...[5, 6, 8].map(line => `${line} error apply-conflict binnacle-testing`),
    ])
    expect(writes()).to.equal(before)
  })

  for (const [source, name] of [
    ['a dump', 'dump.yaml'],
    ['a data directory', 'data'],
    ['a snapshot of etcd', 'snapshot.db'],
  ])
    it(`reads ${source}`, async () => {
      const before = readdirSync(folder)
      expect(await found({ against: join(folder, name ?? ''), forceConflicts: true })).to.have.members(FINDINGS)
      expect(readdirSync(folder)).to.deep.equal(before)
    })

  it('reads a dump in UTF-16, as PowerShell writes it', async () => {
    writeFileSync(join(folder, 'utf16.yaml'), `\ufeff${CLUSTER}`, 'utf16le')
    expect(await found({ against: join(folder, 'utf16.yaml'), forceConflicts: true })).to.have.members(FINDINGS)
  })

  it('applies the permissions of a user, and reports what would follow', async () => {
    const jane = await found({ against: join(folder, 'dump.yaml'), as: 'jane' })
    expect(jane).to.have.members([...FINDINGS, '11 error forbidden', '16 error forbidden'])
  })

  it('reports an object as unchanged if only its metadata of writes would change', async () => {
    const manifest = (colour: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour } })
    const applied = {
      ...manifest('red'),
      metadata: {
        name: 'settings',
        namespace: 'default',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(manifest('red'))}\n` },
      },
    }
    const against = join(folder, 'applied.yaml')
    writeFileSync(against, JSON.stringify(applied))
    const verdicts = async (colour: string): Promise<unknown[]> =>
      (await check({ texts: { a: JSON.stringify(manifest(colour)) }, against, diff: true, forceConflicts: true })).objects.map(
        ({ verdict, diff }) => [verdict, diff],
      )
    expect(await verdicts('red')).to.deep.equal([['unchanged', '']])
    const [[verdict, diff] = []] = (await verdicts('blue')) as string[][]
    expect(verdict).to.equal('configured')
    expect(diff?.split('\n').filter(line => /^[-+] /.test(line))).to.deep.equal(['-  colour: red', '+  colour: blue'])
    rmSync(against)
  })

  it('refuses files and folders without objects, and accepts a list without items', async () => {
    const written = (name: string, content: string | Buffer): string => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    const refusal = async (against: string): Promise<string> =>
      check({ texts: { a: INPUT }, against }).then(
        () => 'accepted',
        (error: unknown) => (error instanceof ArgumentError ? error.message.replaceAll(folder, '') : String(error)),
      )
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    expect(await refusal(written('binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe])))).to.equal(
      '--against /binary: could not be read: it is neither UTF-8, nor UTF-16 with a byte order mark',
    )
    expect(await refusal(written('notes.txt', 'to do'))).to.equal('--against /notes.txt: no objects of a cluster are in it')
    expect(await refusal(empty)).to.equal('--against /empty: no objects of a cluster are in it')
    expect(await refusal(written('list.yaml', 'apiVersion: v1\nkind: List\nitems: []\n'))).to.equal('accepted')
  })

  it('checks kinds that cannot be read, and kinds that a dump does not define', async () => {
    const text = `apiVersion: authorization.k8s.io/v1
kind: SelfSubjectAccessReview
spec: {resourceAttributes: {verb: get, resource: pods}}
---
apiVersion: example.dev/v1
kind: Widget
metadata: {name: a}
`
    const rules = async (against: string): Promise<string[]> =>
      (await check({ texts: { a: text }, against: join(folder, against) })).findings.map(({ severity, rule }) => `${severity} ${rule}`)
    expect(await rules('dump.yaml')).to.deep.equal(['warning unknown-kind'])
    expect(await rules('snapshot.db')).to.deep.equal(['error unknown-kind'])
  })

  it('takes the namespaces of a dump that does not have them from its objects', async () => {
    writeFileSync(join(folder, 'part.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: elsewhere}\n')
    expect(await found({ against: join(folder, 'part.yaml') })).to.deep.equal([
      '3 error missing-namespace',
      '13 error missing-namespace',
      '14 warning unmatched-selector',
    ])
  })
})
