import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { LIFECYCLES } from '../../../src/lifecycle/kinds.ts'
import { convertFile } from '../../../src/upgrade/convert.ts'
import { runConvert } from '../../../src/upgrade/convert-command.ts'
import { ManifestError, readManifests } from '../../../src/upgrade/manifests.ts'
import { standingIn } from '../../../src/upgrade/versions/old-versions.ts'
import { ReleaseKinds } from '../../../src/upgrade/versions/release-kinds.ts'

const kinds = new ReleaseKinds('1.36')
const converted = (text: string) => convertFile(readManifests('a.yaml', text), kinds)

/** Manifests of old versions and their conversion. `decisions` are parts of the messages that need a decision. */
const cases: readonly { readonly what: string; readonly old: string; readonly now: string; readonly decisions?: readonly string[] }[] = [
  {
    what: 'a Deployment of extensions/v1beta1 gets the values that the version implied',
    old: `# the shop
apiVersion: extensions/v1beta1 # old
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2   # two
  rollbackTo:
    revision: 1
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: c
        image: nginx
        resources: {requests: {cpu: 1000m}}
`,
    now: `# the shop
apiVersion: apps/v1 # old
kind: Deployment
metadata:
  name: web
  labels:
    app: web
spec:
  replicas: 2   # two
  strategy:
    rollingUpdate:
      maxUnavailable: 1
      maxSurge: 1
  selector:
    matchLabels:
      app: web
  revisionHistoryLimit: 2147483647
  progressDeadlineSeconds: 2147483647
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: c
        image: nginx
        resources: {requests: {cpu: 1000m}}
`,
    decisions: ['spec.rollbackTo: apps/v1 has no rollback request'],
  },
  {
    what: 'a complete Deployment changes its version only',
    old: `apiVersion: apps/v1beta2
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
`,
    now: `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
`,
  },
  {
    what: 'a patch of a Deployment implies nothing',
    old: 'apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 3\n',
    now: 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 3\n',
    decisions: ['1.36 refuses the result: spec.selector: Required value; '],
  },
  {
    what: 'an Ingress gets names for its backends, and path types',
    old: `apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: web
spec:
  backend: # all
    # the service
    serviceName: web # its name
    servicePort: 80
  rules:
  - http:
      paths:
      - path: /a   # first
        backend: {serviceName: a, servicePort: http}
`,
    now: `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
spec:
  defaultBackend: # all
    # the service
    service:
      name: web
      port:
        number: 80 # its name
  rules:
  - http:
      paths:
      - path: /a   # first
        backend: {service: {name: a, port: {name: http}}}
        pathType: ImplementationSpecific
`,
  },
  {
    what: 'a definition of v1beta1 has its schema, columns and subresources by version',
    old: `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  scope: Namespaced
  version: v1
  preserveUnknownFields: false
  names: {plural: foos, kind: Foo}
  subresources:
    status: {}
  additionalPrinterColumns:
  # the age
  - name: Age
    JSONPath: .metadata.creationTimestamp
    type: date
  validation:
    # described
    openAPIV3Schema:
      type: object
      properties:
        # what is wanted
        spec: {type: object}
`,
    now: `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      # described
      openAPIV3Schema:
        type: object
        properties:
          # what is wanted
          spec: {type: object}
    additionalPrinterColumns:
    # the age
    - name: Age
      jsonPath: .metadata.creationTimestamp
      type: date
    subresources:
      status: {}
  names: {plural: foos, kind: Foo}
`,
  },
  {
    what: 'a webhook keeps the defaults of v1beta1, and gets the fields that v1 requires',
    old: `apiVersion: admissionregistration.k8s.io/v1beta1
kind: ValidatingWebhookConfiguration
metadata: {name: w}
webhooks:
- name: a.b.c
  clientConfig: {service: {name: a, namespace: b}}
  timeoutSeconds: 5
`,
    now: `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: w}
webhooks:
- name: a.b.c
  clientConfig: {service: {name: a, namespace: b}}
  timeoutSeconds: 5
  failurePolicy: Ignore
  matchPolicy: Exact
  sideEffects: Unknown
  admissionReviewVersions:
  - v1beta1
`,
    decisions: ['webhooks[0].sideEffects: v1 accepts None or NoneOnDryRun, not Unknown', 'webhooks[0].admissionReviewVersions'],
  },
  {
    what: 'a subject of rbac v1alpha1 names a group',
    old: `apiVersion: rbac.authorization.k8s.io/v1alpha1
kind: RoleBinding
metadata: {name: b, namespace: ns}
roleRef: {kind: Role, name: r, apiGroup: rbac.authorization.k8s.io}
subjects:
- {kind: User, name: "*", apiVersion: rbac.authorization.k8s.io/v1alpha1}
- {kind: User, name: u, apiVersion: v1}
- kind: ServiceAccount
  name: s
  namespace: ns
  apiVersion: v1
`,
    now: `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b, namespace: ns}
roleRef: {kind: Role, name: r, apiGroup: rbac.authorization.k8s.io}
subjects:
- {kind: Group, name: "system:authenticated", apiGroup: rbac.authorization.k8s.io}
- {kind: User, name: u, apiGroup: rbac.authorization.k8s.io}
- kind: ServiceAccount
  name: s
  namespace: ns
`,
  },
  {
    what: 'items of lists, typed or not, and JSON',
    old: `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "batch/v1beta1", "kind": "CronJob", "metadata": {"name": "c"}, "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}}}]}`,
    now: `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"c"},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}]}`,
  },
  {
    what: 'a typed list and its items',
    old: 'apiVersion: scheduling.k8s.io/v1beta1\nkind: PriorityClassList\nitems:\n- metadata: {name: high}\n  value: 1000 # much\n',
    now: 'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClassList\nitems:\n- metadata: {name: high}\n  value: 1000 # much\n',
  },
  {
    what: 'nested lists, and a custom kind whose name ends with List',
    old: 'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - {apiVersion: batch/v1beta1, kind: CronJobList, items: [{metadata: {name: c}, spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}}]}\n- apiVersion: example.com/v1\n  kind: AllowList\n  metadata: {name: a}\n  items: []\n',
    now: 'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - {apiVersion: batch/v1, kind: CronJobList, items: [{metadata: {name: c}, spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}}]}\n- apiVersion: example.com/v1\n  kind: AllowList\n  metadata: {name: a}\n  items: []\n',
  },
  {
    what: 'objects of JSON one after the other',
    old: '{\n  "apiVersion": "scheduling.k8s.io/v1beta1",\n  "kind": "PriorityClass",\n  "metadata": {\n    "name": "{a}"\n  },\n  "value": 1\n}\n{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PriorityClass","metadata":{"name":"c"},"value":2}\n',
    now: '{\n  "apiVersion": "scheduling.k8s.io/v1",\n  "kind": "PriorityClass",\n  "metadata": {\n    "name": "{a}"\n  },\n  "value": 1\n}\n{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"c"},"value":2}\n',
  },
  {
    what: 'fields that a version had up to its last release',
    old: 'apiVersion: storagemigration.k8s.io/v1alpha1\nkind: StorageVersionMigration\nmetadata: {name: m}\nspec:\n  resource: {group: apps, version: v1, resource: deployments}\n  when: now\n',
    now: 'apiVersion: storagemigration.k8s.io/v1beta1\nkind: StorageVersionMigration\nmetadata: {name: m}\nspec:\n  resource: {group: apps, version: v1, resource: deployments}\n  when: now\n',
    decisions: [
      'spec.resource.version: storagemigration.k8s.io/v1beta1 has no such field',
      'spec.when: storagemigration.k8s.io/v1alpha1 has no such field, so it had no effect',
    ],
  },
  {
    what: 'a document between braces',
    old: '--- {apiVersion: extensions/v1beta1, kind: Ingress, metadata: {name: "i"}, # old\n  spec: {rules: [{host: "a.example", http: {paths: [{path: \'/\', backend: {serviceName: s, servicePort: 80}}]}}]}}\n',
    now: '--- {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: "i"}, # old\n  spec: {rules: [{host: "a.example", http: {paths: [{path: \'/\', backend: {service: {name: s, port: {number: 80}}}, pathType: ImplementationSpecific}]}}]}}\n',
  },
  {
    what: 'served objects, unknown kinds and other documents stay',
    old: 'apiVersion: apps/v1\nkind: Deployment\n---\napiVersion: example.com/v1beta1\nkind: Foo\n---\na: {b:   c}\n',
    now: 'apiVersion: apps/v1\nkind: Deployment\n---\napiVersion: example.com/v1beta1\nkind: Foo\n---\na: {b:   c}\n',
  },
  {
    what: 'an endpoint whose node is in its topology',
    old: 'apiVersion: discovery.k8s.io/v1beta1\nkind: EndpointSlice\nmetadata: {name: e}\naddressType: IPv4\nendpoints:\n- addresses: [10.0.0.1]\n  topology:\n    kubernetes.io/hostname: node-1\n    topology.kubernetes.io/zone: a\n',
    now: 'apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: e}\naddressType: IPv4\nendpoints:\n- addresses: [10.0.0.1]\n  deprecatedTopology:\n    kubernetes.io/hostname: node-1\n  zone: a\n',
    decisions: ['endpoints[0].topology: v1 takes no topology from clients (kubernetes.io/hostname)'],
  },
  {
    what: 'a claim of devices with admin access, which its namespace has to allow',
    old: 'apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: a}\nspec:\n  devices:\n    requests:\n    - name: gpu # one\n      deviceClassName: gpu.example.com\n      adminAccess: true\n',
    now: 'apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec:\n  devices:\n    requests:\n    - name: gpu # one\n      exactly:\n        deviceClassName: gpu.example.com\n        adminAccess: true\n',
  },
  {
    what: 'a kind without a successor stays, and is reported',
    old: 'apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata:\n  name: p\n',
    now: 'apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata:\n  name: p\n',
    decisions: ['PodSecurityPolicy has no successor'],
  },
]

describe('convertFile', () => {
  for (const { what, old, now, decisions = [] } of cases) {
    it(what, async () => {
      const { text, notes, changed } = await converted(old)
      expect(text).to.equal(now)
      expect(changed).to.equal(old !== now)
      const told = notes.filter(({ severity }) => severity === 'decision').map(({ message }) => message)
      expect(told, told.join('\n')).to.have.lengthOf(decisions.length)
      for (const decision of decisions) expect(told.join('\n')).to.include(decision)
    })
  }

  it('is idempotent', async () => {
    for (const { now, old } of cases) if (now !== old) expect((await converted(now)).text).to.equal(now)
  })

  it('reports the line of what it cannot read', () => {
    expect(() => readManifests('chart/templates/a.yaml', 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.name }}\n'))
      .to.throw(ManifestError)
      .with.property('message')
      .that.matches(/^chart\/templates\/a\.yaml:4: this is a template/)
    expect(() => readManifests('a.yaml', 'a: [\n')).to.throw(ManifestError, /^a\.yaml:1: yaml:/)
  })

  it('has a successor for every removed version of a kind', () => {
    const gone = Object.entries(LIFECYCLES).flatMap(([apiVersion, each]) =>
      Object.keys(each)
        .map(kind => ({ apiVersion, kind }))
        .filter(name => standingIn('1.36', name)?.state === 'removed'),
    )
    const stuck = gone.filter(name => {
      const found = kinds.find(name)
      return found === undefined || kinds.successorOf(found) === undefined
    })
    // Kinds without a successor, kinds that are not manifests, and versions that were replaced without a conversion.
    const known =
      /Scale$|Eviction$|SelfSubjectReview$|PodSecurityPolicy$|ClusterCIDR$|^(?:coordination|flowcontrol|networking|storagemigration)\S+\/v1alpha1 |^resource\S+\/v1alpha[12] |PodScheduling/
    expect(stuck.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`).filter(name => !known.test(name))).to.deep.equal([])
  })
})

describe('binnacle convert', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-convert-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  async function run(...argv: string[]) {
    const written: Record<'out' | 'err', string[]> = { out: [], err: [] }
    const status = await runConvert(argv, { out: text => void written.out.push(text), err: text => void written.err.push(text) })
    const [out, err] = [written.out.join(''), written.err.join('')]
    return { status, out, err }
  }

  for (const order of ['little-endian', 'big-endian'])
    it(`keeps UTF-16 that is ${order} when it changes a file in place`, async () => {
      const file = join(folder, 'a.yaml')
      const encoded = (apiVersion: string): Buffer => {
        const text = `\ufeffapiVersion: ${apiVersion}\nkind: PriorityClass\nmetadata: {name: a}\nvalue: 1 # größte 🚀\n`
        const bytes = Buffer.from(text, 'utf16le')
        return order === 'big-endian' ? bytes.swap16() : bytes
      }
      writeFileSync(file, encoded('scheduling.k8s.io/v1beta1'))
      expect((await run('-f', file, '--to', '1.36', '--write')).status).to.equal(0)
      expect(readFileSync(file).toString('hex')).to.equal(encoded('scheduling.k8s.io/v1').toString('hex'))
    })

  it('prints folders to standard output as one stream', async () => {
    writeFileSync(join(folder, 'a.yaml'), 'apiVersion: scheduling.k8s.io/v1beta1\nkind: PriorityClass\nmetadata: {name: a}\nvalue: 1')
    mkdirSync(join(folder, 'b'))
    writeFileSync(join(folder, 'b', 'c.yml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n')
    const { status, out, err } = await run('-f', folder, '--to=1.36')
    expect(out).to.equal(
      'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: a}\nvalue: 1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n',
    )
    expect(err).to.equal(`${folder}/a.yaml:1: PriorityClass a: scheduling.k8s.io/v1beta1 becomes scheduling.k8s.io/v1\n`)
    expect(status).to.equal(0)
  })

  it('changes files in place, and reports files that it cannot read', async () => {
    const file = join(folder, 'a.yaml')
    writeFileSync(file, 'apiVersion: scheduling.k8s.io/v1beta1\nkind: PriorityClass\nmetadata: {name: a}\nvalue: 1\n')
    writeFileSync(join(folder, '0.yaml'), 'a: [\n')
    const { status, out, err } = await run('-f', folder, '--to', 'v1.30.2', '--write')
    expect({ status, out }).to.deep.equal({ status: 2, out: '' })
    expect(err).to.include('0.yaml:1: yaml:')
    expect(readFileSync(file, 'utf8')).to.match(/^apiVersion: scheduling\.k8s\.io\/v1\n/)
  })
})

describe('conversion to 1.37', () => {
  const to37 = (text: string) => convertFile(readManifests('a.yaml', text), new ReleaseKinds('1.37'))

  it('rewrites groups of pods of 1.36', async () => {
    const { text } = await to37(`apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata:
  name: g
spec:
  podGroupTemplateRef:
    workload:
      workloadName: w
      podGroupTemplateName: t
  schedulingPolicy:
    basic: {}
  disruptionMode: PodGroup
`)
    expect(text).to.equal(`apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata:
  name: g
spec:
  workloadRef:
    workloadName: w
    templateName: t
  schedulingPolicy:
    basic: {}
  disruptionMode:
    all: {}
`)
  })
})
