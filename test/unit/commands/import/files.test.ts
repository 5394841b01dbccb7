import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { type Json, type JsonObject, objectIn } from '../../../../src/api/meta/object.ts'
import { runImport } from '../../../../src/commands/import.ts'
import { dataDirectoryValues } from '../../../../src/upgrade/report/sources/data-directory.ts'
import { tarFile } from '../../../support/tar-builder.ts'

const configMap = (name: string, more: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', ...metadata },
  ...more,
})

/** A member of this name is one like others. */
const hostile: Json = JSON.parse('{"__proto__":"x","a":"b"}')

const CRD: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

describe('imports of files', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-import-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function write(name: string, content: Json | Buffer): string {
    const path = join(folder, 'given', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' || content instanceof Buffer ? content : JSON.stringify(content))
    return path
  }

  /** Returns the output, and the stored objects: JSON by key. */
  async function imported(
    ...argv: string[]
  ): Promise<{ status: number; out: string; err: string; stored: Record<string, JsonObject>; revisions: string }> {
    let [out, err] = ['', '']
    const from = argv.includes('-f') ? argv : ['-f', join(folder, 'given'), ...argv]
    const status = await runImport([...from, '--data-dir', join(folder, 'data')], {
      out: text => (out += text),
      err: text => (err += text),
    })
    const stored: Record<string, JsonObject> = {}
    const revisions: string[] = []
    for await (const value of dataDirectoryValues(join(folder, 'data'))) {
      stored[value.key] = JSON.parse(value.value.toString())
      if ('modRevision' in value) revisions.push(`${value.key.replace(/.*\//, '')}=${value.modRevision}`)
    }
    return { status, out, err: err.replaceAll(join(folder, 'given'), ''), stored, revisions: revisions.join(' ') }
  }

  it('read lists, documents and JSON, and keep the metadata of objects', async () => {
    const metadata: JsonObject = {
      uid: '6f0b9b4e-2a1c-4a7e-9d55-aaaaaaaaaaaa',
      resourceVersion: '41',
      creationTimestamp: '2024-01-01T00:00:00Z',
      generation: 3,
      finalizers: ['example.com/keep'],
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u' }],
      managedFields: [
        {
          manager: 'm',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2024-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:a': {} } },
        },
      ],
    }
    write('list.json', {
      apiVersion: 'v1',
      kind: 'List',
      items: [configMap('one', { data: { a: 'b' } }, metadata), configMap('two', {}, { resourceVersion: '40' })],
    })
    write('deep/typed.json', { apiVersion: 'v1', kind: 'ConfigMapList', items: [{ metadata: { name: 'three', namespace: 'shop' } }] })
    write('documents.yaml', `${JSON.stringify(configMap('four'))}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n`)
    write('notes.txt', 'no manifest')
    write('other.json', { some: 'data' })
    const { status, out, err, stored, revisions } = await imported()
    expect({ status, out, err }).to.deep.equal({
      status: 0,
      out: '5 objects imported, as of resource version 44\n',
      err: [
        'had no uid and got one: /documents.yaml:1: ConfigMap shop/four, /documents.yaml:3: Namespace shop, /list.json (item 2): ConfigMap shop/two, /deep/typed.json (item 1): ConfigMap shop/three',
        'had no resource version and got one: 3 objects',
        '',
      ].join('\n'),
    })
    expect(revisions).to.equal('four=42 one=41 three=43 two=40 shop=44')
    const { resourceVersion: _, ...kept } = metadata
    expect(stored['/registry/configmaps/shop/one']).to.deep.equal({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'one', namespace: 'shop', ...kept },
      data: { a: 'b' },
    })
  })

  it('store objects in the storage version of the release', async () => {
    const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' } }
    write('hpa.json', {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { ...spec, targetCPUUtilizationPercentage: 70 },
    })
    write('old.json', {
      apiVersion: 'extensions/v1beta1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'b' }] } } },
    })
    write('role.json', { apiVersion: 'rbac.authorization.k8s.io/v1beta1', kind: 'ClusterRole', metadata: { name: 'r' }, rules: null })
    const { status, stored } = await imported('--release', '1.30')
    expect(status).to.equal(0)
    expect(Object.entries(stored).map(([key, { apiVersion }]) => `${key} ${String(apiVersion)}`)).to.deep.equal([
      '/registry/clusterroles/r rbac.authorization.k8s.io/v1',
      '/registry/deployments/shop/web apps/v1',
      '/registry/horizontalpodautoscalers/shop/web autoscaling/v2',
    ])
    expect(objectIn(stored['/registry/deployments/shop/web']?.spec).selector).to.deep.equal({ matchLabels: { a: 'b' } })
  })

  it('recognise custom kinds by their definitions, in any order of files', async () => {
    write('a/widget.json', { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'shop' }, spec: hostile })
    write('b/definition.json', CRD)
    write('c/gadget.json', { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' } })
    const { status, err, stored } = await imported()
    expect(status).to.equal(0)
    expect(Object.keys(stored)).to.deep.equal([
      '/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com',
      '/registry/example.com/widgets/shop/w',
    ])
    expect(err).to.contain('skipped, because example.com/v1 Gadget is not defined: /c/gadget.json: Gadget g\n')
    expect(JSON.stringify(stored['/registry/example.com/widgets/shop/w']?.spec)).to.equal('{"__proto__":"x","a":"b"}')
  })

  it('report objects that cannot be read, and import the others', async () => {
    write('bad.yaml', `a: [\n---\n${JSON.stringify(configMap('after'))}`)
    write(
      'broken.json',
      Buffer.concat([
        Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}}'),
      ]),
    )
    write('names.json', {
      kind: 'List',
      apiVersion: 'v1',
      items: [
        configMap('../../etc/passwd'),
        configMap('a', {}, { namespace: '..' }),
        configMap('b', {}, { namespace: '' }),
        configMap('c'.repeat(2000)),
        configMap('', {}),
        { apiVersion: 'v1', kind: 'ConfigMap' },
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', namespace: 'shop' } },
        { metadata: {} },
        configMap('typed', { data: ['a'] }),
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: 7 },
        { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', metadata: { name: 'x' } },
        configMap('good', { data: hostile, unknown: 1, also: { a: 1 } }),
        { apiVersion: '__proto__', kind: 'constructor', metadata: { name: 'x' } },
      ],
    })
    const { status, err, stored } = await imported()
    expect(status).to.equal(1)
    expect(Object.keys(stored)).to.deep.equal(['/registry/configmaps/shop/after', '/registry/configmaps/shop/good'])
    const lost = err.split('\n').filter(line => line.includes('could not be read'))
    expect(lost.map(line => line.replace(/c{2000}/, 'c…'))).to.deep.equal([
      '/bad.yaml:1: could not be read: yaml: line 1: did not find expected node content',
      '/broken.json: could not be read: it is neither UTF-8, nor UTF-16 with a byte order mark',
      '/names.json (item 1): ConfigMap shop/../../etc/passwd: could not be read: "../../etc/passwd" is not a valid name: it may not contain \'/\'',
      '/names.json (item 2): ConfigMap ../a: could not be read: ".." is not a valid name: it may not be \'..\'',
      '/names.json (item 3): ConfigMap /b: could not be read: it has no namespace',
      '/names.json (item 4): ConfigMap shop/c…: could not be read: its name is too long',
      '/names.json (item 5): ConfigMap shop/: could not be read: it has no name',
      '/names.json (item 6): ConfigMap (no name): could not be read: it has no name',
      '/names.json (item 7): Namespace shop/n: could not be read: it has a namespace, and objects of its kind have none',
      '/names.json (item 8): could not be read: it is not an object: it has no apiVersion or no kind',
      '/names.json (item 9): ConfigMap shop/typed: could not be read: json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
      '/names.json (item 10): ConfigMap (no name): could not be read: it has no name',
    ])
    expect(JSON.stringify(stored['/registry/configmaps/shop/good']?.data)).to.equal('{"__proto__":"x","a":"b"}')
    expect(err).to.contain('has fields that v1 ConfigMap of 1.33 has not: /names.json (item 12): ConfigMap shop/good (')
    expect(err).to.contain('skipped, because __proto__ constructor is not defined: ')
    expect(err).to.contain('skipped, because authorization.k8s.io/v1 SelfSubjectAccessReview is not stored: ')
  })

  it('survive deep nesting, huge files and YAML alias bombs', async () => {
    const deep = (apiVersion: string, kind: string): string =>
      `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"name":"deep","namespace":"shop"},"spec":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}}`
    write('a/definition.json', CRD)
    write('a/known.json', Buffer.from(deep('example.com/v1', 'Widget')))
    write('b/unknown.json', Buffer.from(deep('example.com/v1', 'Gadget')))
    write('c/deeper.json', Buffer.from(`{"apiVersion":"v1","kind":"List","items":${'['.repeat(200_000)}`))
    const aliases = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`)
    write(
      'd/aliases.yaml',
      Buffer.from(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: grown, namespace: shop}\na0: &a0 x\n${aliases.join('\n')}\n`),
    )
    write('e/huge.yaml', Buffer.concat([Buffer.from('apiVersion: v1\nkind: ConfigMap\n# '), Buffer.alloc(33 << 20, 'x')]))
    write('f/good.json', configMap('good'))
    const { status, err, stored } = await imported()
    expect(status).to.equal(1)
    expect(Object.keys(stored)).to.include('/registry/configmaps/shop/good').and.not.include('/registry/configmaps/shop/grown')
    for (const name of ['c/deeper.json', 'd/aliases.yaml', 'e/huge.yaml'])
      expect(err, name).to.match(new RegExp(`^/${name}.* could not be read: `, 'm'))
    for (const name of ['a/known.json', 'b/unknown.json'])
      expect(err + Object.keys(stored).join(' '), name).to.match(name.startsWith('a') ? /known\.json|widgets\/shop\/deep/ : /unknown\.json/)
  })

  it('do not follow links', async () => {
    write('a.json', configMap('a'))
    const secret = join(folder, 'outside.json')
    writeFileSync(secret, JSON.stringify(configMap('outside')))
    symlinkSync(secret, join(folder, 'given', 'link.json'))
    symlinkSync(folder, join(folder, 'given', 'circle'))
    const { stored, err } = await imported()
    expect(Object.keys(stored)).to.deep.equal(['/registry/configmaps/shop/a'])
    expect(err).to.contain('skipped, because it is a link: /link.json\n')
  })

  it('read must-gather directories', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'shop', resourceVersion: '9' },
      spec: { containers: [{ name: 'a', image: 'b' }] },
    }
    write('image/version', 'openshift/must-gather')
    write('image/namespaces/shop/shop.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n')
    write(
      'image/namespaces/shop/core/configmaps.yaml',
      `---\napiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata:\n    name: a\n    namespace: shop\n`,
    )
    write('image/namespaces/shop/core/pods.yaml', `${JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items: [pod] })}\n`)
    write('image/namespaces/shop/pods/web/web.yaml', JSON.stringify(pod))
    write('image/namespaces/shop/pods/web/a/logs/current.log', '{"apiVersion": "v1", "kind": "Pod"}')
    write(
      'image/cluster-scoped-resources/core/nodes/n1.yaml',
      'apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {conditions: [{type: Ready, status: "True"}]}\n',
    )
    write(
      'image/cluster-scoped-resources/config.openshift.io/infrastructures.yaml',
      'apiVersion: config.openshift.io/v1\nkind: Infrastructure\nmetadata: {name: cluster}\n',
    )
    const { status, err, stored } = await imported()
    expect(status).to.equal(0)
    expect(Object.keys(stored)).to.deep.equal([
      '/registry/configmaps/shop/a',
      '/registry/minions/n1',
      '/registry/namespaces/shop',
      '/registry/pods/shop/web',
    ])
    expect(stored['/registry/minions/n1']?.status).to.have.nested.property('conditions[0].status', 'True')
    expect(err).to.contain('skipped, because config.openshift.io/v1 Infrastructure is not defined: ')
  })

  it('replace the values of Secrets on request', async () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"a":"aHVudGVyMg=="}}', other: 'x' }
    write(
      'secret.yaml',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'Opaque',
        metadata: { name: 's', namespace: 'shop', annotations },
        data: { a: 'aHVudGVyMg==', b: '' },
      }),
    )
    const { stored } = await imported('--redact-secrets')
    expect({ ...stored['/registry/secrets/shop/s'], metadata: {} }).to.deep.equal({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: {},
      data: { a: 'UkVEQUNURUQ=', b: 'UkVEQUNURUQ=' },
      type: 'Opaque',
    })
    expect(objectIn(stored['/registry/secrets/shop/s']?.metadata).annotations).to.deep.equal({ other: 'x' })
  })

  it('keep the newest of several copies of an object', async () => {
    write('a.json', configMap('a', { data: { v: 'old' } }, { resourceVersion: '5' }))
    write('b.json', configMap('a', { data: { v: 'new' } }, { resourceVersion: '7' }))
    write('c.json', configMap('a', { data: { v: 'older' } }, { resourceVersion: '6' }))
    write('d.json', configMap('d', {}, { resourceVersion: '7' }))
    const { stored, revisions, err } = await imported()
    expect(stored['/registry/configmaps/shop/a']?.data).to.deep.equal({ v: 'new' })
    expect(revisions).to.equal('a=7 d=8')
    expect(err).to.match(/^had the resource version of another object and got a new one: 1 object$/m)
  })

  describe('in archives', () => {
    const entry = (name: string, value: Json) => ({ name, bytes: Buffer.from(JSON.stringify(value)) })

    it('read a Velero backup, each object in its preferred version', async () => {
      const hpa = (apiVersion: string, name: string): JsonObject => ({
        apiVersion,
        kind: 'HorizontalPodAutoscaler',
        metadata: { name, namespace: 'shop' },
        spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name } },
      })
      const files = [
        { name: 'metadata/version', bytes: Buffer.from('1.1.0') },
        entry('resources/configmaps/namespaces/shop/a.json', configMap('a')),
        entry('resources/configmaps/v1-preferredversion/namespaces/shop/a.json', configMap('a')),
        entry('resources/horizontalpodautoscalers.autoscaling/v1/namespaces/shop/web.json', hpa('autoscaling/v1', 'only-in-v1')),
        entry('resources/horizontalpodautoscalers.autoscaling/v2-preferredversion/namespaces/shop/web.json', hpa('autoscaling/v2', 'web')),
        entry('resources/widgets.example.com/namespaces/shop/w.json', {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'w', namespace: 'shop' },
        }),
        entry('resources/customresourcedefinitions.apiextensions.k8s.io/cluster/widgets.example.com.json', CRD),
        entry('../../../../tmp/outside.json', configMap('outside')),
        { name: 'resources/configmaps/namespaces/shop/link.json', type: '2' },
      ]
      const path = write('backup.tar.gz', gzipSync(tarFile(files)))
      const { status, err, stored } = await imported('-f', path)
      expect(status).to.equal(0)
      expect(Object.keys(stored)).to.deep.equal([
        '/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com',
        '/registry/configmaps/shop/a',
        '/registry/configmaps/shop/outside',
        '/registry/example.com/widgets/shop/w',
        '/registry/horizontalpodautoscalers/shop/web',
      ])
      expect(err).to.contain('skipped, because it is a link: /backup.tar.gz: resources/configmaps/namespaces/shop/link.json\n')
    })

    it('stop at one that unpacks to far more than its size suggests', async () => {
      const files = [entry('a.json', configMap('a')), { name: 'zeros', bytes: Buffer.alloc(400 << 20) }, entry('b.json', configMap('b'))]
      const path = write('bomb.tar.gz', gzipSync(tarFile(files)))
      const { status, err, stored } = await imported('-f', path)
      expect(status).to.equal(1)
      expect(err).to.contain(
        '/bomb.tar.gz: could not be read: it unpacks to far more than texts do, and is read no further (--max-unpacked-bytes raises the bound)\n',
      )
      expect(Object.keys(stored)).to.deep.equal(['/registry/configmaps/shop/a'])
    })

    it('report a damaged one', async () => {
      const whole = gzipSync(tarFile([entry('a.json', configMap('a')), entry('b.json', configMap('b'))]))
      const path = write('cut.tar.gz', whole.subarray(0, whole.length - 20))
      const { status, err } = await imported('-f', path)
      expect(status).to.equal(1)
      expect(err).to.contain('/cut.tar.gz: could not be read: unexpected end of file\n')
    })
  })
})
