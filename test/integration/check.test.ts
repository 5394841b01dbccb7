import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { expect } from 'chai'
import { check } from '../../src/check/check.ts'
import type { CheckFinding, CheckOptions } from '../../src/check/types.ts'

const line = ({ rule, severity, message, position, field }: CheckFinding): string =>
  `${position?.line ?? 0}:${position?.column ?? 0} ${severity} ${rule} ${field ?? ''} | ${message}`

const found = async (text: string, options: CheckOptions = {}): Promise<string[]> =>
  (await check({ texts: { 'a.yaml': text }, ...options })).findings.map(line)

describe('binnacle check', () => {
  it('names the namespace of an object in its findings as in its verdict', async () => {
    const text = 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 0, targetPort: 1}]}\n'
    const { findings, objects } = await check({ texts: { a: text } })
    const names = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web' }
    expect(findings.map(({ object }) => object)).to.deep.equal([names])
    expect(objects.map(({ apiVersion, kind, namespace, name }) => ({ apiVersion, kind, namespace, name }))).to.deep.equal([names])
  })

  it('rejects a folder without manifests', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'check-empty-'))
    let message = ''
    await check({ paths: [folder] }).catch(({ message: text }: Error) => {
      message = text
    })
    rmSync(folder, { recursive: true })
    expect(message).to.equal(`${folder}: this folder has no files *.yaml, *.yml or *.json`)
  })

  it('judges an object in a removed version as its successor would, and marks these findings', async () => {
    const text = `apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: a}
spec:
  minAvailable: -1
  selector: {matchLabels: {a: b}}
---
apiVersion: extensions/v1beta1
kind: Ingress
metadata: {name: b}
spec:
  rules:
  - http:
      paths:
      - backend: {serviceName: web, servicePort: 80}
---
apiVersion: apps/v1beta1
kind: Deployment
metadata: {name: web}
spec:
  replicas: "x"
`
    const { findings, objects } = await check({ texts: { a: text }, release: '1.33' })
    const shown = findings.map(
      ({ rule, as, object, position, message }) => `${position?.line} ${rule} ${object?.apiVersion} ${as ?? ''} ${message.slice(0, 60)}`,
    )
    expect(shown).to.deep.equal([
      '1 removed-version policy/v1beta1  policy/v1beta1 PodDisruptionBudget is no longer served as of',
      '5 invalid-value policy/v1beta1 policy/v1 spec.minAvailable: Invalid value: -1: must be greater than o',
      '8 removed-version extensions/v1beta1  extensions/v1beta1 Ingress is no longer served as of v1.22; ',
      '15 missing-reference extensions/v1beta1 networking.k8s.io/v1 Service "web" in namespace default does not exist',
      '17 removed-version apps/v1beta1  apps/v1beta1 Deployment is no longer served as of v1.16; use',
      '21 wrong-type apps/v1beta1  json: cannot unmarshal string into Go struct field Deploymen',
    ])
    expect(objects.map(({ verdict }) => verdict)).to.deep.equal(['unknown', 'unknown', 'unknown'])
  })

  it('reports all errors of an object, at their fields', async () => {
    const text = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: "three"
  replicaz: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: a
        image: nginx
        ports:
        - containerPort: 800000
        imagePullPolicy: Sometimes
        image: twice
`
    expect(await found(text)).to.deep.equal([
      '6:3 error wrong-type spec.replicas | Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
      '7:3 error unknown-field spec.replicaz | unknown field "spec.replicaz"',
      '18:11 error invalid-value spec.template.spec.containers[0].ports[0].containerPort | spec.template.spec.containers[0].ports[0].containerPort: Invalid value: 800000: must be between 1 and 65535, inclusive',
      '19:9 error invalid-value spec.template.spec.containers[0].imagePullPolicy | spec.template.spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
      '20:9 warning duplicate-field spec.template.spec.containers[0].image | duplicate field "spec.template.spec.containers[0].image"',
    ])
  })

  it('applies the last of repeated fields, as kubectl does', async () => {
    const text = `apiVersion: v1
kind: ConfigMap
metadata:
  name: First
  name: last
  labels: {a.example/b: 1, a.example/b: c}
data:
  x: [1]
  x: "y"
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
`
    const shown = async (strict: boolean) => {
      const { findings, objects } = await check({ texts: { a: text }, strict })
      return [
        ...findings.map(({ severity, rule, field, position }) => `${position?.line}:${position?.column} ${severity} ${rule} ${field}`),
        ...objects.map(({ name, verdict }) => `${name} ${verdict}`),
      ]
    }
    expect(await shown(false)).to.deep.equal([
      '5:3 warning duplicate-field metadata.name',
      '6:28 warning duplicate-field metadata.labels.a.example/b',
      '9:3 warning duplicate-field data.x',
      'last created',
      'other created',
    ])
    expect((await shown(true))[0]).to.equal('5:3 error duplicate-field metadata.name')
  })

  it('reports names that no path can have, and checks the other objects', async () => {
    const named = (metadata: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: ${metadata}\n`
    const text = ['{name: a/b}', '{name: c%d}', '{name: "e?f #g"}', '{name: h, namespace: i%j}', '{name: ok}'].map(named).join('---\n')
    const { findings, objects } = await check({ texts: { a: text }, release: '1.33' })
    expect(
      findings.map(({ rule, position, message }) => `${position?.line}:${position?.column} ${rule} ${message.slice(0, 45)}`),
    ).to.deep.equal([
      '3:12 invalid-value metadata.name: Invalid value: "a/b": a lowerc',
      '7:12 invalid-value metadata.name: Invalid value: "c%d": a lowerc',
      '11:12 invalid-value metadata.name: Invalid value: "e?f #g": a low',
      `15:21 invalid-value invalid namespace "i%j": [may not contain '%'`,
    ])
    expect(objects.map(({ verdict }) => verdict)).to.deep.equal(['refused', 'refused', 'refused', 'refused', 'created'])
  })

  it('reports namespaces that cannot exist as kubectl and the server do, each once', async () => {
    const text = ['a/b%c', '..', 'Bad NS', '-a'].map(
      name => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: ${JSON.stringify(name)}\n`,
    )
    const { findings, objects } = await check({ texts: { a: text.join('---\n') }, release: '1.33' })
    expect(findings.map(({ rule, severity, position, message }) => `${position?.line} ${severity} ${rule} ${message}`)).to.deep.equal([
      `5 error invalid-value invalid namespace "a/b%c": [may not contain '/' may not contain '%']`,
      `11 error invalid-value invalid namespace "..": [may not be '..']`,
      '17 error missing-namespace namespaces "Bad NS" not found',
      '23 error missing-namespace namespaces "-a" not found',
    ])
    expect(objects.map(({ verdict, code }) => `${verdict} ${code}`)).to.deep.equal(['refused 0', 'refused 0', 'refused 404', 'refused 404'])
  })

  it('reports on objects with integers beyond 2^53', async () => {
    const text = `apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {a: 9007199254740993}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 123456789012345678901234567890
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 9007199254740993
      containers: [{name: a, image: b, resources: {limits: {memory: 9007199254740993}}}]
`
    const { findings, objects } = await check({ texts: { a: text }, release: '1.36', showDefaults: true, diff: true })
    const errors = findings.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ rule, position }) => `${position?.line} ${rule}`)).to.deep.equal(['4 wrong-type', '10 wrong-type'])
    expect(objects[1]?.diff).to.contain('terminationGracePeriodSeconds: 9007199254740993')
  })

  it('prints no values of a Secret', async () => {
    const text = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: hidden}\ndata: {b: aGlkZGVuMg==}\n'
    const result = await check({ texts: { a: text }, showDefaults: true, diff: true })
    expect(result.findings.map(({ message }) => message).join('\n')).to.contain('data.a: "*** (8 characters)" is set by the server')
    for (const value of ['hidden', 'aGlkZGVu']) expect(JSON.stringify([result.findings, result.objects])).not.to.contain(value)
  })

  it('reports documents that are not valid, and checks the others', async () => {
    const text =
      '\ufeffapiVersion: v2\nkind: ConfigMap\n---\nkind: Pod\n  spec: {}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: A}\n---\na: [\n'
    const shown = (await found(text)).map(each => each.slice(0, 80))
    expect(shown).to.deep.equal(
      [
        '2:1 warning unknown-kind kind | no matches for kind "ConfigMap" in version "v2"',
        '5:7 error unreadable  | yaml: line 5: mapping values are not allowed in this context',
        '9:12 error invalid-value metadata.name | metadata.name: Invalid value: "A": a low',
        '11:4 error unreadable  | yaml: line 11: did not find expected node content',
      ].map(each => each.slice(0, 80)),
    )
  })

  it('locates values whose error does not name their field, and keys of maps', async () => {
    const text = `apiVersion: v1
kind: Pod
metadata:
  name: a
  creationTimestamp: yesterday
  labels:
    good: a
    "bad key!": b
spec:
  containers:
  - name: a
    image: b
    resources:
      limits:
        cpu: 1
        memory: lots
`
    const { findings } = await check({ texts: { a: text } })
    expect(findings.map(({ rule, field, position }) => [rule, field, position?.line, position?.column])).to.deep.equal([
      ['wrong-type', 'metadata.creationTimestamp', 5, 3],
      ['invalid-value', 'metadata.labels', 8, 5],
      ['wrong-type', 'spec.containers[0].resources.limits.memory', 16, 9],
    ])
  })

  it('applies definitions, namespaces and policies first, unless the order is kept', async () => {
    const text = `apiVersion: example.dev/v1
kind: Widget
metadata: {name: a, namespace: later}
---
apiVersion: v1
kind: Namespace
metadata: {name: later}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.dev}
spec:
  group: example.dev
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`
    expect(await found(text)).to.deep.equal([])
    expect(await found(text, { asGiven: true })).to.deep.equal([
      '2:1 warning unknown-kind kind | no matches for kind "Widget" in version "example.dev/v1"',
    ])
    expect(await found(text, { asGiven: true, strict: true })).to.deep.equal([
      '2:1 error unknown-kind kind | no matches for kind "Widget" in version "example.dev/v1"',
    ])
  })

  it('takes definitions from elsewhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'check-crds-'))
    const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.dev}
spec:
  group: example.dev
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: string}}}}}
`
    writeFileSync(join(folder, 'widgets.yaml'), crd)
    try {
      const text = 'apiVersion: example.dev/v1\nkind: Widget\nmetadata: {name: a}\nspec: 3\n'
      const { objects, findings } = await check({ texts: { a: text }, crds: [folder] })
      expect(objects).to.have.lengthOf(1)
      expect(findings.map(line)).to.deep.equal([
        '4:1 error wrong-type spec | spec: Invalid value: "integer": spec in body must be of type string: "integer"',
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('names versions that a release does not serve, and those that a later one removes', async () => {
    const text = `apiVersion: extensions/v1beta1
kind: Ingress
metadata: {name: a}
spec: {rules: [{host: a.example}]}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: PriorityLevelConfiguration
metadata: {name: a}
spec: {type: Limited, limited: {limitResponse: {type: Reject}}}
`
    const { findings } = await check({ texts: { a: text }, release: '1.30' })
    expect(findings.map(({ rule, severity, position, advice }) => [rule, severity, position?.line, advice])).to.deep.equal([
      ['removed-version', 'error', 1, 'use networking.k8s.io/v1, or run binnacle convert -f FILE --to 1.30'],
      ['deprecated-version', 'warning', 6, 'use flowcontrol.apiserver.k8s.io/v1, or run binnacle convert -f FILE --to 1.30'],
    ])
  })

  it('gives the verdict of the first request to an object that cannot be applied over another', async () => {
    const text = `apiVersion: v1
kind: Service
metadata: {name: a}
spec: {selector: {a: b}, ports: [{name: x, port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: a}
spec:
  selector: {a: b}
  ports:
  - {name: x, port: 80}
  - {name: y, port: 80}
`
    const { objects, findings } = await check({ texts: { a: text }, release: '1.36' })
    expect(objects.map(({ verdict }) => verdict)).to.deep.equal(['created', 'refused'])
    const finding = findings.find(({ message }) => message.includes('duplicate entries for key'))
    expect(finding).to.include({ rule: 'invalid-value', advice: 'remove one of the items: a server-side apply takes each key once' })
    expect(finding?.position).to.include({ line: 11, column: 3 })
  })

  it('reports fields that an apply does not declare as unknown', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndatum: {a: b}\n'
    const { findings } = await check({ texts: { a: text, b: text }, release: '1.36' })
    expect(
      findings.filter(({ severity }) => severity === 'error').map(({ rule, position }) => `${position?.file}:${position?.line} ${rule}`),
    ).to.deep.equal(['a:4 unknown-field', 'b:4 unknown-field'])
  })

  it('names files of other programs, and kinds that Kubernetes does not have', async () => {
    const text =
      'apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Policy\nmetadata: {name: a}\n'
    const { findings } = await check({ texts: { a: text }, release: '1.36' })
    expect(findings.map(({ severity, advice }) => `${severity} ${advice}`)).to.deep.equal([
      'note this is a file of another program, and no API object',
      'warning v1 has no such kind',
    ])
  })

  it('points at the label whose value is invalid', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels:\n    good: x\n    bad: "not valid"\n'
    expect((await found(text)).map(each => each.slice(0, 31))).to.deep.equal(['7:5 error invalid-value metadat'])
  })

  it('calls a change of a running pod immutable', async () => {
    const pod = (image: string): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostNetwork: ${image}, containers: [{name: a, image: a}]}\n`
    const { findings } = await check({ texts: { a: pod('false'), b: pod('true') }, release: '1.36' })
    expect(findings.map(({ rule, position }) => `${position?.file} ${rule}`)).to.include('b immutable-field')
  })

  it('reports no volume as missing whose value cannot be decoded', async () => {
    const text = `apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers: [{name: a, image: b, volumeMounts: [{name: disk, mountPath: /a}]}]
  volumes: [{name: disk, fc: {targetWWNs: [a], lun: two}}]
`
    expect((await found(text)).map(each => each.slice(0, 21))).to.deep.equal(['6:48 error wrong-type'])
  })

  it('removes fields that a later manifest of the same object does not have', async () => {
    const config = (data: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {${data}}\n`
    const { objects } = await check({ texts: { a: config('kept: "1", gone: "2"'), b: config('kept: "1"') }, release: '1.36', diff: true })
    expect(objects[1]?.diff).to.match(/^- {2}gone: "2"$/m)
  })

  it('reports a status at its fields, without those that decoding adds', async () => {
    const text = `apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: a, image: b}]}
status:
  podIP: 10.0.0.1
`
    expect(await found(text)).to.deep.equal([
      '6:3 note dropped-value status.podIP | status.podIP is dropped: only the subresource status writes it',
    ])
  })

  it('reports values that a release drops, with their gate', async () => {
    const text = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  hostUsers: false\n  containers: [{name: a, image: b}]\n'
    const [finding = ''] = await found(text, { release: '1.30' })
    expect(finding).to.equal(
      '5:3 warning dropped-value spec.hostUsers | spec.hostUsers is dropped, because the feature gate UserNamespacesSupport is off',
    )
    expect(await found(text, { release: '1.30', gates: { UserNamespacesSupport: true } })).to.deep.equal([])
  })

  it('reports policies that warn and change, with the change', async () => {
    const text = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: named}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  matchConditions: [{name: own, expression: object.metadata.name == 'a'}]
  validations: [{expression: 'false', message: never}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: named}
spec: {policyName: named, validationActions: [Warn]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: labels}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  matchConditions: [{name: own, expression: object.metadata.name == 'a'}]
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"team": "a"}}}'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: labels}
spec: {policyName: labels}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
`
    const { findings } = await check({ texts: { a: text }, release: '1.36' })
    const own = findings.filter(({ object }) => object?.kind === 'ConfigMap')
    expect(own.map(({ rule, severity, by, diff = '', position }) => [rule, severity, by, diff, position?.line])).to.have.deep.members([
      ['policy-warning', 'warning', 'named', '', 33],
      ['policy-mutated', 'note', 'labels', '+ metadata.labels: {"team":"a"}\n', 35],
    ])
  })

  it('reports expressions of policies that do not fit the types of their kinds', async () => {
    const text = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: typo}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  validations:
  - expression: object.spec.replicaz > 1
`
    const { findings } = await check({ texts: { a: text } })
    expect(findings.map(({ rule, severity, field, position }) => [rule, severity, field, position?.line])).to.deep.equal([
      ['policy-type', 'warning', 'spec.validations[0].expression', 8],
    ])
    expect(findings[0]?.message).to.include("undefined field 'replicaz'")
  })

  it('names webhooks that would be called, once each', async () => {
    const text = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: engine}
webhooks:
- name: check.engine.dev
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {name: engine, namespace: default}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
`
    expect(await found(text, { asGiven: true })).to.deep.equal([
      '8:28 warning missing-reference webhooks[0].clientConfig.service.name | Service "engine" in namespace default does not exist',
      '11:1 note webhook-not-called  | webhook "check.engine.dev" of engine would be called for 2 objects, and was not',
    ])
  })

  it('calls webhooks at the URLs that are named', async () => {
    const engine = createServer((request, response) => {
      void json(request).then(review => {
        const { request: asked } = review as {
          readonly request: { readonly uid: string; readonly object: { readonly metadata: { readonly name: string } } }
        }
        const allowed = asked.object.metadata.name !== 'bad'
        response.end(
          JSON.stringify({
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            response: { uid: asked.uid, allowed, ...(!allowed && { status: { message: 'bad names are denied' } }) },
          }),
        )
      })
    }).listen(0, '127.0.0.1')
    await once(engine, 'listening')
    const { port } = engine.address() as AddressInfo
    const text = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: engine}
webhooks:
- name: check.engine.dev
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: 'https://192.0.2.1/'}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: good}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: bad}
`
    try {
      const webhooks = { 'check.engine.dev': `http://127.0.0.1:${port}/` }
      const { findings } = await check({ texts: { a: text }, asGiven: true, webhooks })
      expect(findings.map(({ rule, by, message }) => [rule, by, message])).to.deep.equal([
        ['webhook-denied', 'check.engine.dev', 'admission webhook "check.engine.dev" denied the request: bad names are denied'],
      ])
    } finally {
      engine.close()
    }
  })

  it('shows defaults and diffs', async () => {
    const text = 'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n  - port: 80\n'
    const { findings, objects } = await check({ texts: { a: text }, showDefaults: true, diff: true })
    expect(findings.map(({ message }) => message)).to.include('spec.ports[0].protocol: "TCP" is set by the server')
    expect(objects[0]?.diff)
      .to.match(/^--- a\/Service\/a\n\+\+\+ b\/Service\/a\n@@ -0,0 \+1,\d+ @@\n\+apiVersion: v1\n/)
      .and.include('+  - port: 80')
  })
})
