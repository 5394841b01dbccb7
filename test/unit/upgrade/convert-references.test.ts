import { expect } from 'chai'
import { load } from 'js-yaml'
import { type JsonObject, objectIn } from '../../../src/api/meta/object.ts'
import { LIFECYCLES } from '../../../src/lifecycle/kinds.ts'
import { convertFile } from '../../../src/upgrade/convert.ts'
import { readManifests } from '../../../src/upgrade/manifests.ts'
import { oldReferencesOf } from '../../../src/upgrade/references.ts'
import { standingIn } from '../../../src/upgrade/versions/old-versions.ts'
import { ReleaseKinds } from '../../../src/upgrade/versions/release-kinds.ts'

const RELEASE = '1.36'
const kinds = new ReleaseKinds(RELEASE)
const converted = (text: string) => convertFile(readManifests('a.yaml', text), kinds)

describe('references to removed versions', () => {
  const cases: readonly { readonly what: string; readonly old: string; readonly now: string; readonly notes: readonly string[] }[] = [
    {
      what: 'the target of an autoscaler in a version that stays, with its comment',
      old: 'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec:\n  scaleTargetRef:\n    apiVersion: extensions/v1beta1 # old\n    kind: Deployment\n    name: web\n  maxReplicas: 3\n',
      now: 'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec:\n  scaleTargetRef:\n    apiVersion: apps/v1 # old\n    kind: Deployment\n    name: web\n  maxReplicas: 3\n',
      notes: ['info spec.scaleTargetRef: extensions/v1beta1 becomes apps/v1'],
    },
    {
      what: 'the target of an autoscaler that is converted itself',
      old: 'apiVersion: autoscaling/v2beta2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1beta2, kind: Deployment, name: web}\n  maxReplicas: 3\n',
      now: 'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n  maxReplicas: 3\n',
      notes: ['info autoscaling/v2beta2 becomes autoscaling/v2', 'info spec.scaleTargetRef: apps/v1beta2 becomes apps/v1'],
    },
    {
      what: 'targets of Kustomize',
      old: 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- path: p.yaml\n  target: {group: extensions, version: v1beta1, kind: Ingress, name: web}\n',
      now: 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- path: p.yaml\n  target: {group: networking.k8s.io, version: v1, kind: Ingress, name: web}\n',
      notes: ['info patches[0].target: extensions/v1beta1 becomes networking.k8s.io/v1'],
    },
    {
      what: 'an embedded object and its references',
      old: 'apiVersion: example.dev/v1\nkind: Bundle\nmetadata: {name: b}\nspec:\n  objects:\n  - apiVersion: batch/v1beta1\n    kind: CronJob\n    metadata:\n      name: c\n      ownerReferences: [{apiVersion: apps/v1beta1, kind: Deployment, name: d, uid: u}]\n    spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}\n',
      now: 'apiVersion: example.dev/v1\nkind: Bundle\nmetadata: {name: b}\nspec:\n  objects:\n  - apiVersion: batch/v1\n    kind: CronJob\n    metadata:\n      name: c\n      ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: d, uid: u}]\n    spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}\n',
      notes: [
        'info spec.objects[0]: batch/v1beta1 becomes batch/v1',
        'info spec.objects[0].metadata.ownerReferences[0]: apps/v1beta1 becomes apps/v1',
      ],
    },
    {
      what: 'a kind without a successor stays, and needs a decision',
      old: 'apiVersion: example.dev/v1\nkind: Bundle\nmetadata: {name: b}\nspec: {ref: {apiVersion: policy/v1beta1, kind: PodSecurityPolicy, name: p}}\n',
      now: 'apiVersion: example.dev/v1\nkind: Bundle\nmetadata: {name: b}\nspec: {ref: {apiVersion: policy/v1beta1, kind: PodSecurityPolicy, name: p}}\n',
      notes: ['decision spec.ref: '],
    },
  ]
  for (const { what, old, now, notes } of cases)
    it(`are converted: ${what}`, async () => {
      const { text, notes: told } = await converted(old)
      expect(text).to.equal(now)
      expect(
        told.map(({ severity, message }, i) => `${severity} ${message}`.slice(0, severity === 'decision' ? notes[i]?.length : undefined)),
      ).to.deep.equal(notes)
    })

  it('leaves only references that need a decision', async () => {
    const gone = Object.entries(LIFECYCLES)
      .flatMap(([apiVersion, kindsOf]) => Object.keys(kindsOf).map(kind => ({ apiVersion, kind })))
      .filter(name => standingIn(RELEASE, name)?.state === 'removed')
    expect(gone.length).to.be.greaterThan(40)
    const left: string[] = []
    for (const { apiVersion, kind } of gone) {
      const [version = '', group = ''] = apiVersion.split('/').reverse()
      const named = { apiVersion, kind, name: 'a' }
      const text = [
        {
          apiVersion: 'example.dev/v1',
          kind: 'Bundle',
          metadata: { name: 'a', ownerReferences: [{ ...named, uid: 'u' }] },
          spec: { ref: named, deep: [[{ refs: [named] }]] },
        },
        {
          apiVersion: 'kustomize.config.k8s.io/v1beta1',
          kind: 'Kustomization',
          patches: [{ target: { group, version, kind } }],
          replacements: [{ source: { group, version, kind }, targets: [{ select: { group, version, kind } }] }],
        },
        {
          apiVersion: 'autoscaling/v1',
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'a' },
          spec: { maxReplicas: 1, scaleTargetRef: named },
        },
      ]
        .map(object => JSON.stringify(object))
        .join('\n---\n')
      const { text: now, notes } = await converted(text)
      for (const document of now.split('\n---\n')) {
        const found = oldReferencesOf(objectIn(load(document) as JsonObject), RELEASE).map(({ path }) => path)
        left.push(
          ...found
            .filter(path => !notes.some(({ severity, message }) => severity === 'decision' && message.startsWith(`${path}: `)))
            .map(path => `${apiVersion} ${kind} ${path}`),
        )
      }
      const isConverted = kinds.find({ apiVersion, kind }) !== undefined && notes.some(({ severity }) => severity === 'info')
      const isDecided = notes.some(({ severity }) => severity === 'decision')
      expect(isConverted !== isDecided, `${apiVersion} ${kind}: ${JSON.stringify(notes)}`).to.equal(true)
    }
    expect(left).to.deep.equal([])
  })
})
