import { expect } from 'chai'
import { check } from '../../src/check/check.ts'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import { readManifests } from '../../src/upgrade/manifests.ts'
import { appliedVerdict, checkedVerdict, type Verdict } from '../support/applied-verdict.ts'

/** Valid objects with the name NAME. Lines that end with a comment cannot be changed in an update. */
const OBJECTS: readonly string[] = [
  `apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
  namespace: default
  labels:
    app: web
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
  strategy:
    type: Recreate
  template:
    metadata:
      labels:
        app: web
        tier: front
    spec:
      hostNetwork: false
      terminationGracePeriodSeconds: 30
      containers:
      - name: web
        image: web
        stdin: true
        ports:
        - containerPort: 80
          protocol: TCP
        readinessProbe:
          periodSeconds: 5
          httpGet:
            path: /ready
            port: 80
`,
  `apiVersion: batch/v1
kind: CronJob
metadata:
  name: NAME
  namespace: default
spec:
  schedule: "* * * * *"
  suspend: true
  jobTemplate:
    spec:
      backoffLimit: 3
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: run
            image: run
`,
  `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: NAME
  namespace: default
spec:
  minAvailable: 1
  selector:
    matchLabels:
      app: web
`,
  `apiVersion: v1
kind: Secret
metadata:
  name: NAME
  namespace: default
type: example.dev/a # immutable
immutable: true
stringData:
  a: b
`,
  `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: NAME
provisioner: example.dev/a # immutable
reclaimPolicy: Retain # immutable
allowVolumeExpansion: true
`,
]

const REMOVED: Readonly<Record<string, string>> = {
  'apps/v1': 'apps/v1beta1',
  'batch/v1': 'batch/v1beta1',
  'policy/v1': 'policy/v1beta1',
  'storage.k8s.io/v1': 'storage.k8s.io/v1beta1',
}

/** An object with one error, below a valid one with the same name if the error is about a change. */
interface Mutant {
  readonly lines: readonly string[]
  /** Index of the line with the error. */
  readonly at: number
}

type Pick = <T>(from: readonly T[]) => T

/** Changes one line, or adds one. Returns undefined if the object has no line that fits. */
type Mutation = (lines: readonly string[], pick: Pick) => Mutant | undefined

/** Chooses one of the lines that match, and replaces it by others, of which the last one has the error. */
const atLine =
  (pattern: RegExp, replacement: (line: string, match: RegExpExecArray, pick: Pick) => readonly string[]): Mutation =>
  (lines, pick) => {
    const fitting = lines.flatMap((line, at) => (pattern.test(line) ? [at] : []))
    if (fitting.length === 0) return undefined
    const at = pick(fitting)
    const [line = '', match] = [lines[at], pattern.exec(lines[at] ?? '')]
    if (match === null) return undefined
    const replaced = replacement(line, match, pick)
    return { lines: lines.with(at, replaced.join('\n')).join('\n').split('\n'), at: at + replaced.length - 1 }
  }

/** A member with a scalar, other than those that name the object. */
const MEMBER = /^([ -]*)(?!apiVersion|kind|name:|namespace)([\w]+): (?![{[])[^#]+$/

const INVALID_NAME = atLine(/^ {2}name: NAME$/, (line, _, pick) => [line.replace('NAME', pick(['NAME_', 'Name-NAME', 'NAME!', '-NAME']))])

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'wrong type': atLine(MEMBER, (_, [, indent = '', key = ''], pick) => [`${indent}${key}: ${pick(['[{wrong: 1}]', '{wrong: [1]}'])}`]),
  'unknown field': atLine(MEMBER, (line, [, indent = '']) => [line, `${indent.replaceAll('-', ' ')}unknownMember: [1]`]),
  // Names of PodDisruptionBudgets are not validated.
  'invalid name': (lines, pick) => (lines.includes('kind: PodDisruptionBudget') ? undefined : INVALID_NAME(lines, pick)),
  'removed version': atLine(/^apiVersion: (?:apps|batch|policy|storage.k8s.io)\/v1$/, line => [
    `apiVersion: ${REMOVED[line.slice('apiVersion: '.length)]}`,
  ]),
  'immutable field': (lines, pick) => {
    const changed = atLine(/# immutable$/, line => [
      line.replace(/(\S+) # immutable/, (_, value) => (value === 'Retain' ? 'Delete' : `${value}x`)),
    ])(lines, pick)
    return changed && { lines: [...lines, '---', ...changed.lines], at: lines.length + 1 + changed.at }
  },
}

/** Returns a function that picks an element. */
function pickFrom(seed: number): Pick {
  const random = seededRandom(seed)
  return <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T
}

const ROUNDS = 6

describe('binnacle check of objects with one error', () => {
  for (const seed of [1, 2])
    it(`gives the verdicts of a server, at the line of the error (seed ${seed})`, async () => {
      const pick = pickFrom(seed)
      const lines: string[] = []
      const expected: { readonly what: string; readonly line: number; readonly from: number }[] = []
      for (let i = 0; i < ROUNDS; i++)
        for (const [what, mutation] of Object.entries(MUTATIONS)) {
          const mutant = mutation(pick(OBJECTS).trimEnd().split('\n'), pick)
          if (mutant === undefined) continue
          const from = lines.length + 1
          expected.push({ what, line: from + mutant.at, from })
          lines.push(...mutant.lines.map(line => line.replace('NAME', `m${expected.length}`)), '---')
        }
      const text = lines.join('\n')
      const verdicts: Verdict[] = []
      const plane = await startControlPlane({ release: '1.36' })
      try {
        for (const object of readManifests('a', text).objects) verdicts.push(await appliedVerdict(plane, object))
      } finally {
        await plane.stop()
      }
      expect(verdicts.filter(({ refused }) => refused)).to.have.lengthOf(expected.length)
      const { objects, findings } = await check({ texts: { a: text }, release: '1.36', asGiven: true })
      expect(objects.map(checkedVerdict)).to.deep.equal(verdicts)
      for (const [i, { what, line, from }] of expected.entries()) {
        const end = expected[i + 1]?.from ?? Number.POSITIVE_INFINITY
        const errors = findings.filter(
          ({ severity, as, position: { line: at } = { line: 0 } }) => severity === 'error' && as === undefined && at >= from && at < end,
        )
        expect(
          [...new Set(errors.map(({ position }) => position?.line))],
          `${what}\n${lines.slice(from - 1, end - 1).join('\n')}`,
        ).to.deep.equal([line])
      }
    })
})
