import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { check } from '../../src/check/check.ts'
import { runCheck } from '../../src/check/check-command.ts'
import type { CheckFinding } from '../../src/check/types.ts'

const hasBuilder = ['kustomize', 'kubectl'].some(program => spawnSync(program, ['version', '--client']).error === undefined)

const FILES: Readonly<Record<string, string>> = {
  'base/kustomization.yaml': `resources: [deployment.yaml, service.yaml]
configMapGenerator:
- name: settings
  literals: [A=1]
`,
  'base/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: side
        image: side
        imagePullPolicy: Sometimes
      - name: web
        image: web
        envFrom:
        - configMapRef: {name: absent}
`,
  'base/service.yaml': `# A comment of the base.
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 70000, targetPort: 80}]
`,
  'prod/kustomization.yaml': `namePrefix: prod-
namespace: shop
resources: [../base]
patches:
- path: limits.yaml
- target: {kind: Deployment}
  patch: |-
    - op: add
      path: /spec/template/spec/activeDeadlineSeconds
      value: 5
- patch: |-
    apiVersion: v1
    kind: Service
    metadata: {name: web}
    spec:
      type: Wrong
labels:
- pairs: {team: "a b"}
`,
  'prod/limits.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: -1
  template:
    spec:
      containers:
      - name: web
        ports: [{containerPort: 99999}]
`,
}

;(hasBuilder ? describe : describe.skip)(
  `binnacle check of kustomizations${hasBuilder ? '' : ' (skipped: neither kustomize nor kubectl is on the path)'}`,
  () => {
    let folder = ''
    let findings: readonly CheckFinding[] = []
    let remarks: readonly string[] = []
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'check-sources-'))
      for (const [name, text] of Object.entries(FILES)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), text)
      }
      ;({ findings, remarks } = await check({ paths: [join(folder, 'prod')], release: '1.36' }))
    })
    after(() => rmSync(folder, { recursive: true }))

    const placeOf = (field: string, kind: string): string[] =>
      findings
        .filter(finding => finding.field === field && finding.object?.kind === kind)
        .map(
          ({ position }) =>
            `${position?.file.replace(`${folder}/`, '')}:${position?.line}:${position?.column}${position?.source === undefined ? '' : ' built'}`,
        )

    it('points at the resource that sets a field, in an item that is found by its name', () => {
      expect(placeOf('spec.ports[0].port', 'Service')).to.deep.equal(['base/service.yaml:7:12'])
      expect(placeOf('spec.template.spec.containers[1].imagePullPolicy', 'Deployment')).to.deep.equal(['base/deployment.yaml:15:9'])
      expect(placeOf('spec.template.spec.containers[0].envFrom[0].configMapRef.name', 'Deployment')).to.deep.equal([
        'base/deployment.yaml:19:26',
      ])
    })

    it('points at the patch that sets a field', () => {
      expect(placeOf('spec.replicas', 'Deployment')).to.deep.equal(['prod/limits.yaml:5:3'])
      expect(placeOf('spec.template.spec.containers[0].ports[0].containerPort', 'Deployment')).to.deep.equal(['prod/limits.yaml:10:18'])
    })

    it('points into patches that a kustomization contains', () => {
      expect(placeOf('spec.type', 'Service')).to.deep.equal(['prod/kustomization.yaml:16:7'])
      expect(placeOf('spec.template.spec.activeDeadlineSeconds', 'Deployment')).to.deep.equal(['prod/kustomization.yaml:10:7'])
    })

    it('points at the member of the kustomization that sets a field, and says so', () => {
      expect(placeOf('metadata.labels', 'Service')).to.deep.equal(['prod/kustomization.yaml:17:1 built'])
      expect(placeOf('metadata.namespace', 'Service')).to.deep.equal(['prod/kustomization.yaml:2:1 built'])
      expect(remarks).to.satisfy((texts: readonly string[]) =>
        texts.some(text => /prod: built with (?:kubectl kustomize|kustomize build)$/.test(text)),
      )
    })

    it('names the generator of a generated object', () => {
      const { position } = findings.find(({ object, rule }) => object?.kind === 'ConfigMap' && rule === 'invalid-value') ?? {}
      expect(position?.file).to.equal(join(folder, 'prod/kustomization.yaml'))
    })

    it('shows the lines of sources, and names the folder as it was passed', async () => {
      const copy = join(folder, 'copy')
      cpSync(join(folder, 'base'), copy, { recursive: true })
      const printed: string[] = []
      await runCheck(['-f', copy, '--release', '1.36'], { out: text => void printed.push(text), err: () => {} })
      expect(printed.join('')).to.contain(`${copy}/service.yaml\n`).and.to.contain('7 |   ports: [{port: 70000, targetPort: 80}]')
    })
  },
)
