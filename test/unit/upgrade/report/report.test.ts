import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Release } from '../../../../src/lifecycle/release.ts'
import type { Finding } from '../../../../src/upgrade/report/finding.ts'
import { reportOn } from '../../../../src/upgrade/report/report.ts'
import { examineFiles } from '../../../../src/upgrade/report/sources/files.ts'
import { runReport } from '../../../../src/upgrade/report-command.ts'
import { ReleaseKinds } from '../../../../src/upgrade/versions/release-kinds.ts'
import { quietWatch } from '../../../support/input-watch.ts'

const pod = (spec: string, metadata = 'name: p'): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {${metadata}}\nspec: {containers: [{name: c, image: i}]${spec}}\n`

/** Manifests, the releases, and the findings: level, rule and a part of the message. */
const cases: readonly {
  readonly what: string
  readonly text: string
  readonly from?: Release
  readonly to: Release
  readonly found: readonly string[]
}[] = [
  {
    what: 'a removed version',
    text: 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: b}}}\n',
    to: '1.25',
    found: ['blocking removed-version policy/v1beta1 PodDisruptionBudget is not served by 1.25'],
  },
  {
    what: 'a version that is deprecated',
    text: 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: b}}}\n',
    to: '1.24',
    found: ['warning deprecated-version policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+'],
  },
  {
    what: 'a meaning that changes',
    text: 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {selector: {}}\n',
    to: '1.25',
    found: ['blocking removed-version', 'warning needs-decision spec.selector: an empty selector matches no pod'],
  },
  {
    what: 'a kind without a successor',
    text: 'apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: a}\n',
    to: '1.25',
    found: ['blocking removed-version'],
  },
  {
    what: 'a kind that a removed version never had, and nested lists',
    text: 'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: List, items: [{apiVersion: apps/v1beta1, kind: ReplicaSet, metadata: {name: a}}]}\n- {apiVersion: v1, kind: ReplicaSet, metadata: {name: b}}\n',
    to: '1.34',
    found: ['blocking removed-version apps/v1beta1 ReplicaSet is not served by 1.34'],
  },
  {
    what: 'nothing new if two releases reject an object with different messages',
    text: 'apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: {name: a}\nspec: {signerName: example.com/a, usages: [client auth], request: YQ==}\n',
    from: '1.33',
    to: '1.36',
    found: ['note invalid-object both releases refuse spec.request: Invalid value: "YQ==": PEM block type'],
  },
  {
    what: 'nothing in jobs with a selector from the server, and in addresses of a family that a cluster may have',
    text: 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {clusterIP: "fd12::a", ports: [{port: 80}]}\n',
    from: '1.30',
    to: '1.33',
    found: [],
  },
  {
    what: 'no new error of an object that the current release rejects, too',
    text: 'apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: c}]}}}\n',
    to: '1.36',
    found: [
      'note invalid-object both releases refuse spec.selector: Required value',
      'note changed-default spec.persistentVolumeClaimRetentionPolicy',
    ],
  },
  {
    what: 'a version of the future',
    text: 'apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n',
    from: '1.31',
    to: '1.32',
    found: ['blocking missing-version'],
  },
  {
    what: 'group versions that 1.37 removed',
    text:
      'apiVersion: networking.k8s.io/v1beta1\nkind: ServiceCIDR\nmetadata: {name: a}\nspec: {cidrs: [10.0.0.0/24]}\n---\n' +
      'apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: a}\nspec: {schedulingPolicy: {basic: {}}}\n',
    from: '1.36',
    to: '1.37',
    found: [
      'blocking removed-version networking.k8s.io/v1beta1 ServiceCIDR is not served by 1.37',
      'blocking removed-version scheduling.k8s.io/v1alpha2 PodGroup is not served by 1.37',
    ],
  },
  {
    what: 'versions that 1.37 deprecates, and new rules of 1.37',
    text:
      'apiVersion: storagemigration.k8s.io/v1beta1\nkind: StorageVersionMigration\nmetadata: {name: a}\nspec: {resource: {group: apps, resource: deployments}}\n---\n' +
      'apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, ' +
      'spec: {containers: [{name: c, image: i}], volumes: [{name: v, image: {pullPolicy: Always}}]}}}\n',
    from: '1.36',
    to: '1.37',
    found: [
      'blocking changed-validation 1.37 refuses spec.template.spec.volumes[0].image.reference: Required value',
      'warning deprecated-version storagemigration.k8s.io/v1beta1 StorageVersionMigration is deprecated in v1.37+',
    ],
  },
  {
    what: 'certificates in a version that 1.37 deprecates',
    text: 'apiVersion: certificates.k8s.io/v1beta1\nkind: PodCertificateRequest\nmetadata: {name: a}\nspec: {}\n',
    from: '1.36',
    to: '1.37',
    found: [
      'note invalid-object both releases refuse',
      'warning deprecated-version certificates.k8s.io/v1beta1 PodCertificateRequest is deprecated in v1.37+, unavailable in v1.40+; use certificates.k8s.io/v1 PodCertificateRequest',
    ],
  },
  {
    what: 'every other version that 1.37 removed',
    text: [
      'networking.k8s.io/v1beta1\nkind: IPAddress\nmetadata: {name: 10.0.0.1}\nspec: {parentRef: {resource: services, namespace: a, name: b}}',
      'storage.k8s.io/v1beta1\nkind: VolumeAttributesClass\nmetadata: {name: a}\ndriverName: d.io\nparameters: {a: b}',
      'certificates.k8s.io/v1alpha1\nkind: ClusterTrustBundle\nmetadata: {name: a}\nspec: {trustBundle: ""}',
      'scheduling.k8s.io/v1alpha2\nkind: Workload\nmetadata: {name: a}\nspec: {podGroupTemplates: [{name: a, schedulingPolicy: {basic: {}}}]}',
    ]
      .map(text => `apiVersion: ${text}\n`)
      .join('---\n'),
    from: '1.36',
    to: '1.37',
    found: [
      'blocking removed-version networking.k8s.io/v1beta1 IPAddress is not served by 1.37',
      'blocking removed-version storage.k8s.io/v1beta1 VolumeAttributesClass is not served by 1.37',
      'blocking removed-version certificates.k8s.io/v1alpha1 ClusterTrustBundle is not served by 1.37',
      'blocking removed-version scheduling.k8s.io/v1alpha2 Workload is not served by 1.37',
      'warning needs-decision 1.37 rejects the converted object: spec.trustBundle',
    ],
  },
  {
    what: 'fields that 1.37 keeps and 1.36 drops',
    text:
      'apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {serviceName: a, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, ' +
      'spec: {containers: [{name: c, image: i}]}}, updateStrategy: {rollingUpdate: {maxUnavailable: 2}}}\n---\n' +
      'apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: a.b.c}\nspec: {preventPodSchedulingIfMissing: true}\n---\n' +
      pod(', volumes: [{name: v, projected: {sources: [{clusterTrustBundle: {name: a, path: b}}]}}]'),
    from: '1.36',
    to: '1.37',
    found: [
      'warning activated-field spec.updateStrategy.rollingUpdate.maxUnavailable: 1.36 drops the field, and 1.37 keeps it',
      'warning activated-field spec.preventPodSchedulingIfMissing: 1.36 drops the field, and 1.37 keeps it',
      'warning activated-field spec.volumes[0].projected.sources[0].clusterTrustBundle: 1.36 drops the field, and 1.37 keeps it',
    ],
  },
  {
    what: 'a field that 1.37 replaced',
    text:
      'apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a}\nspec: {driver: d.io, nodeName: node, pool: {name: p, generation: 1, resourceSliceCount: 1}, ' +
      'devices: [{name: d, nodeAllocatableResourceMappings: {cpu: {allocationMultiplier: "1"}}}]}\n',
    from: '1.36',
    to: '1.37',
    found: ['blocking removed-field spec.devices[0].nodeAllocatableResourceMappings: 1.37 does not know the field'],
  },
  {
    what: 'defaults of pod-level resources in 1.37',
    text: pod(', resources: {requests: {cpu: "2"}}').replace('image: i', 'image: i, resources: {limits: {cpu: "1"}}'),
    from: '1.36',
    to: '1.37',
    found: ['note changed-default spec.resources.limits: no value becomes {"cpu":"2"}'],
  },
  {
    what: 'webhooks that receive no reviews in 1.37',
    text:
      'apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: a}\nwebhooks:\n- name: a.b.c\n  sideEffects: None\n' +
      '  admissionReviewVersions: [v1]\n  clientConfig: {url: "https://a.b/c"}\n  rules:\n' +
      '  - {apiGroups: [authentication.k8s.io, authorization.k8s.io], apiVersions: [v1], resources: ["*"], operations: [CREATE]}\n' +
      '  - {apiGroups: ["", authorization.k8s.io], apiVersions: [v1], resources: [pods, subjectaccessreviews], operations: [CREATE]}\n' +
      '  - {apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations: [CREATE]}\n',
    from: '1.36',
    to: '1.37',
    found: [
      'blocking unmatched-rule webhooks[0].rules[0]: applies to *.authentication.k8s.io, *.authorization.k8s.io alone, which 1.37 sends to no webhook',
      'note unmatched-rule webhooks[0].rules[1]: names subjectaccessreviews.authorization.k8s.io, which 1.37 sends to no webhook',
    ],
  },
  {
    what: 'rules of webhooks, policies and roles about versions that 1.37 removed',
    text:
      'apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a}\nspec: {matchConstraints: {resourceRules: ' +
      '[{apiGroups: [scheduling.k8s.io], apiVersions: [v1alpha2], resources: [podgroups], operations: [CREATE]}, ' +
      '{apiGroups: [networking.k8s.io], apiVersions: [v1, v1beta1], resources: [servicecidrs], operations: [CREATE]}]}, validations: [{expression: "true"}]}\n',
    from: '1.36',
    to: '1.37',
    found: [
      'blocking unmatched-rule spec.matchConstraints.resourceRules[0]: applies to scheduling.k8s.io/v1alpha2 alone',
      'note unmatched-rule spec.matchConstraints.resourceRules[1]: names networking.k8s.io/v1beta1',
    ],
  },
  {
    what: 'the warning of 1.37 about sets of objects',
    text:
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n' +
      '  names: {plural: foos, kind: Foo, singular: foo, listKind: FooList}\n  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, ' +
      'properties: {a: {type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic}}}}}}\n',
    from: '1.36',
    to: '1.37',
    found: ['note new-warning'],
  },
  {
    what: 'flags of kube-apiserver that 1.37 refuses',
    text: pod('').replace(
      '{name: c, image: i}',
      '{name: c, image: i, command: [kube-apiserver, "--emulated-version=1.33", --min-compatibility-version=1.34, --enable-admission-plugins=PodGroupWorkloadExists, --enable-logs-handler=false]}',
    ),
    from: '1.36',
    to: '1.37',
    found: [
      'blocking removed-flag --emulated-version: 1.37 accepts 1.34 to 1.37, not 1.33',
      'blocking removed-flag --enable-admission-plugins: 1.37 does not know the admission plugin PodGroupWorkloadExists',
    ],
  },
  { what: 'nothing in served versions', text: pod(''), to: '1.36', found: [] },
  { what: 'nothing in custom kinds', text: 'apiVersion: example.com/v1beta1\nkind: Foo\nmetadata: {name: a}\n', to: '1.36', found: [] },
  {
    what: 'annotations without effect',
    text: pod('', 'name: p, annotations: {seccomp.security.alpha.kubernetes.io/pod: runtime/default}'),
    to: '1.30',
    found: ['warning deprecated-annotation metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: has no effect from 1.27 on'],
  },
  {
    what: 'annotations that still work',
    text: pod('', 'name: p, annotations: {container.apparmor.security.beta.kubernetes.io/c: runtime/default}'),
    to: '1.30',
    found: ['warning deprecated-annotation'],
  },
  {
    what: 'labels of nodes',
    text: pod(', nodeSelector: {beta.kubernetes.io/os: linux, node-role.kubernetes.io/master: ""}'),
    to: '1.30',
    found: [
      'warning deprecated-annotation spec.nodeSelector[node-role.kubernetes.io/master]',
      'warning deprecated-field spec.nodeSelector[beta.kubernetes.io/os]',
    ],
  },
  {
    what: 'removed volume types',
    text: pod(', volumes: [{name: v, gitRepo: {repository: r}}]'),
    to: '1.33',
    found: ['warning deprecated-field spec.volumes[0].gitRepo: deprecated in v1.11'],
  },
  {
    what: 'a reference to a removed version',
    text: 'apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec: {maxReplicas: 2, scaleTargetRef: {apiVersion: extensions/v1beta1, kind: Deployment, name: d}}\n',
    to: '1.30',
    found: ['blocking removed-reference spec.scaleTargetRef: names extensions/v1beta1 Deployment'],
  },
  {
    what: 'a target of kustomize',
    text: 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- path: a.yaml\n  target: {group: extensions, version: v1beta1, kind: Ingress, name: a}\n- path: b.yaml\n  target: {version: v1, kind: Service, name: a}\n',
    to: '1.30',
    found: ['warning removed-reference patches[0].target: names extensions/v1beta1 Ingress'],
  },
  {
    what: 'a webhook that would match nothing',
    text: 'apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: a}\nwebhooks:\n- name: a.b.c\n  sideEffects: None\n  admissionReviewVersions: [v1]\n  clientConfig: {url: "https://a.b/c"}\n  rules:\n  - {apiGroups: [extensions], apiVersions: [v1beta1], resources: [ingresses], operations: [CREATE]}\n  - {apiGroups: [policy], apiVersions: [v1, v1beta1], resources: [poddisruptionbudgets], operations: [CREATE]}\n  - {apiGroups: [apps], apiVersions: ["*"], resources: ["*"], operations: ["*"]}\n',
    to: '1.30',
    found: [
      'blocking unmatched-rule webhooks[0].rules[0]: applies to extensions/v1beta1 alone',
      'note unmatched-rule webhooks[0].rules[1]: names policy/v1beta1',
    ],
  },
  {
    what: 'a role for a removed group',
    text: 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\nrules:\n- {apiGroups: [extensions], resources: [ingresses, deployments], verbs: [get]}\n- {apiGroups: [apps], resources: [deployments], verbs: [get]}\n',
    to: '1.30',
    found: ['warning unmatched-rule rules[0]: grants ingresses of the group extensions'],
  },
  {
    what: 'the last applied configuration',
    text: pod(
      '',
      `name: p, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"apiVersion":"extensions/v1beta1","kind":"Ingress"}'}`,
    ),
    to: '1.30',
    found: ['blocking removed-version written as extensions/v1beta1 Ingress'],
  },
  {
    what: 'gates and plugins of a static pod',
    text: pod(', hostNetwork: true').replace(
      '{name: c, image: i}',
      '{name: c, image: i, command: [kube-apiserver, "--feature-gates=CSIServiceAccountToken=true,CSIMigration=false,CustomThing=true", "--enable-admission-plugins=NodeRestriction,PodSecurityPolicy", --runtime-config=policy/v1beta1=true]}',
    ),
    from: '1.24',
    to: '1.25',
    found: [
      'blocking locked-gate',
      'blocking removed-gate',
      'blocking removed-flag --enable-admission-plugins: 1.25 does not know the admission plugin PodSecurityPolicy',
      'blocking removed-flag --runtime-config: 1.25 does not serve policy/v1beta1',
    ],
  },
  {
    what: 'gates of kubeadm',
    text: 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\napiServer:\n  extraArgs:\n  - {name: feature-gates, value: "APIListChunking=true"}\n',
    from: '1.32',
    to: '1.33',
    found: ['blocking removed-gate'],
  },
  {
    what: 'configurations of components',
    text: 'apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n',
    to: '1.29',
    found: ['blocking removed-config'],
  },
  {
    what: 'versions of custom kinds',
    text: 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: foos, kind: Foo, singular: foo, listKind: FooList}\n  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n  - {name: v1beta1, served: true, storage: false, deprecated: true, deprecationWarning: use v1, schema: {openAPIV3Schema: {type: object}}}\n---\napiVersion: example.com/v1beta1\nkind: Foo\n---\napiVersion: example.com/v1alpha1\nkind: Foo\n---\napiVersion: example.com/v1\nkind: Foo\n',
    to: '1.36',
    found: ['blocking custom-version its definition does not serve example.com/v1alpha1 Foo', 'warning custom-version use v1'],
  },
]

const textOf = ({ level, rule, message }: Finding): string => `${level} ${rule} ${message}`

describe('upgrade report', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-report-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  for (const { what, text, from = '1.24', to, found } of cases) {
    it(`finds ${what}`, async () => {
      const file = join(folder, 'a.yaml')
      writeFileSync(file, text)
      const { findings } = await reportOn([examineFiles([file], new ReleaseKinds(to), quietWatch())], { from, to })
      const texts = findings.map(textOf)
      expect(texts, texts.join('\n')).to.have.lengthOf(found.length)
      for (const each of found)
        expect(
          texts.some(text => text.startsWith(each)),
          `${each} in\n${texts.join('\n')}`,
        ).to.equal(true)
    })
  }

  it('reports the line of an object and the diff of its conversion', async () => {
    const file = join(folder, 'a.yaml')
    writeFileSync(file, '# first\na: b\n---\napiVersion: batch/v1beta1 # old\nkind: CronJob\nmetadata: {name: c}\nspec: {}\n')
    const { findings, objects } = await reportOn([examineFiles([folder], new ReleaseKinds('1.25'), quietWatch())], {
      from: '1.24',
      to: '1.25',
    })
    expect(objects).to.equal(1)
    expect(findings[0]?.place).to.deep.equal({ file, line: 4 })
    expect(findings[0]?.diff).to.equal(
      '@@ -4,4 +4,4 @@\n-apiVersion: batch/v1beta1 # old\n+apiVersion: batch/v1 # old\n kind: CronJob\n metadata: {name: c}\n spec: {}',
    )
  })

  const run = async (...argv: string[]) => {
    const out: string[] = []
    const status = await runReport(argv, { out: text => void out.push(text), err: () => {} })
    return { status, out: out.join('') }
  }

  it('reports in its exit status whether anything blocks the upgrade', async () => {
    writeFileSync(join(folder, 'a.yaml'), pod(''))
    expect((await run('--from=1.24', '--to', '1.30', '-f', folder)).status).to.equal(0)
    expect((await run('--from=1.24', '--to', '1.30', '--gates', 'CSIMigration=true')).status).to.equal(1)
    const { status, out } = await run('--from=1.24', '--to', '1.30', '--gates=CSIMigration=true', '-o', 'json')
    expect(status).to.equal(1)
    expect(JSON.parse(out)).to.deep.include({ from: '1.24', to: '1.30', summary: { blocking: 1, warnings: 0, notes: 0 } })
  })

  it('continues after files that it cannot read', async () => {
    writeFileSync(join(folder, 'a.yaml'), 'a: [\n')
    const { findings } = await reportOn([examineFiles([folder], new ReleaseKinds('1.30'), quietWatch())], { from: '1.24', to: '1.30' })
    expect(findings.map(({ rule, place }) => ({ rule, place }))).to.deep.equal([
      { rule: 'unreadable', place: { file: join(folder, 'a.yaml'), line: 1 } },
    ])
  })
})
