import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Input } from '../../../../src/check/input/input-object.ts'
import { readInput, readTexts } from '../../../../src/check/input/read-input.ts'
import { nodeValue } from '../../../../src/upgrade/source/nodes.ts'

const names = ({ objects }: Input): string[] =>
  objects.map(({ apiVersion, kind, namespace, name, source }) => [apiVersion, kind, namespace, name, source ?? ''].join(' ').trim())

const faults = (input: Input): string[] => input.faults.map(({ rule, message, position }) => `${position?.line ?? 0} ${rule}: ${message}`)

const configMap = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })

describe('input of check', () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'check-input-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('reads documents, lists and typed lists', () => {
    const input = readTexts({
      'a.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: shop}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Secret, metadata: {name: b}}
---
apiVersion: v1
kind: ServiceList
items:
- metadata: {name: c}
`,
    })
    expect(names(input)).to.deep.equal(['v1 ConfigMap shop a', 'v1 Secret  b', 'v1 Service  c'])
  })

  it('names the templates of Helm', () => {
    const text = `---
# Source: web/templates/a.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
`
    expect(names(readTexts({ '-': text }))).to.deep.equal(['v1 ConfigMap  a web/templates/a.yaml', 'v1 ConfigMap  b'])
  })

  it('reads the manifests of Terraform plans', () => {
    const manifest = (name: string): object => ({ type: 'kubernetes_manifest', values: { manifest: configMap(name) } })
    const plan = {
      format_version: '1.2',
      planned_values: {
        root_module: { resources: [manifest('a'), { type: 'aws_s3_bucket', values: {} }], child_modules: [{ resources: [manifest('b')] }] },
      },
    }
    expect(names(readTexts({ 'plan.json': JSON.stringify(plan) }))).to.deep.equal(['v1 ConfigMap  a', 'v1 ConfigMap  b'])
  })

  it('reads the resources of Pulumi previews that are left', () => {
    const step = (op: string, name: string, type = 'kubernetes:core/v1:ConfigMap'): object => ({
      op,
      newState: { type, inputs: configMap(name) },
    })
    const preview = {
      config: {},
      steps: [step('create', 'a'), step('delete', 'b'), step('same', 'c'), step('create', 'd', 'aws:s3:Bucket')],
    }
    expect(names(readTexts({ 'preview.json': JSON.stringify(preview, null, 2) }))).to.deep.equal(['v1 ConfigMap  a', 'v1 ConfigMap  c'])
  })

  it('reports what is no object, with its line', () => {
    const text = 'kind: ConfigMap\n---\napiVersion: v1\n---\nreplicas: 3\n---\njust text\n'
    expect(faults(readTexts({ 'a.yaml': text }))).to.deep.equal([
      "1 incomplete-object: Object 'apiVersion' is missing",
      "3 incomplete-object: Object 'Kind' is missing",
      '5 not-an-object: this document is not an object: it has neither apiVersion nor kind',
      '7 not-an-object: this document is not an object',
    ])
  })

  it('reports invalid YAML and templates, with the line', () => {
    expect(faults(readTexts({ 'a.yaml': 'a: 1\nb: [\n' }))[0]).to.match(/^\d unreadable: /)
    expect(faults(readTexts({ 'a.yaml': 'apiVersion: v1\nkind: A\nname: {{ .Release.Name }}\n' }))[0]).to.match(
      /^3 unreadable: this is a template/,
    )
  })

  it('leaves out files of a folder that are no manifests', () => {
    writeFileSync(join(folder, 'a.yaml'), JSON.stringify(configMap('a')))
    writeFileSync(join(folder, 'other.yaml'), 'replicas: 3\n')
    const input = readInput([folder])
    expect(names(input)).to.deep.equal(['v1 ConfigMap  a'])
    expect(input.faults).to.be.empty
  })

  it('refuses URLs by name', () => {
    expect(() => readInput(['https://example.dev/a.yaml'])).to.throw('https://example.dev/a.yaml: URLs are not read')
  })

  it('reports a kustomization that cannot be built', () => {
    const broken = join(folder, 'broken')
    mkdirSync(broken)
    writeFileSync(join(broken, 'kustomization.yaml'), 'resources: [missing.yaml]\n')
    expect(faults(readInput([broken]))[0]).to.include(`unreadable: ${broken}: `)
  })

  it('takes the last of repeated keys, and members of merged maps that the map does not set', () => {
    const [object] = readTexts({ a: 'apiVersion: v1\nkind: A\nx: &x {a: 1, b: 2}\nz: {<<: *x, b: 3, b: 4}\n' }).objects
    const value = { apiVersion: 'v1', kind: 'A', x: { a: 1, b: 2 }, z: { a: 1, b: 4 } }
    expect(object && nodeValue(object.node)).to.deep.equal(value)
    const [, , , z] = object?.node.kind === 'map' ? object.node.pairs : []
    const last = z?.value.kind === 'map' ? z.value.pairs[1]?.value : undefined
    expect(object && last && nodeValue(object.node, { without: new Set([last]) })).to.deep.equal({ ...value, z: { a: 1 } })
  })
})
