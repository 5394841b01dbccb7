/**
 * Measures stages of simulated pods: the processor time of one application (choice, delay and rendering) beside that of
 * parsing a pod from JSON, and the engine with 10,000 pods that become ready.
 */
import type { JsonObject } from '../../src/api/meta/object.ts'
import { type StagedObject, StageEngine } from '../../src/cluster/kwok/engine/stage-engine.ts'
import { stageActions } from '../../src/cluster/kwok/stage/actions.ts'
import { decodeStage } from '../../src/cluster/kwok/stage/decode.ts'
import { FAST_POD_STAGES, GENERAL_POD_STAGES } from '../../src/cluster/kwok/stages/pod-stages.ts'
import { functionsIn } from '../../src/cluster/kwok/template/template.ts'
import { runAtOnce } from '../../src/lib/steps.ts'

const PODS = 10_000

const functions = functionsIn({
  now: () => '2030-01-01T00:00:00Z',
  startTime: '',
  version: '1',
  nodeIP: () => '10.0.0.1',
  nodeName: () => '',
  nodePort: () => 0,
  nodeIPsWith: () => ['10.0.0.1'],
  podIP: () => '10.1.0.1',
  podIPsWith: () => ['10.1.0.1'],
})

const podAt = (i: number): StagedObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `web-${i}`, namespace: 'default', uid: `uid-${i}`, resourceVersion: `${i + 1}`, labels: { app: 'web' } },
  spec: {
    nodeName: `node-${i % 100}`,
    containers: [{ name: 'web', image: 'registry.k8s.io/pause:3.9', resources: {}, terminationMessagePath: '/dev/termination-log' }],
  },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: '2030-01-01T00:00:00Z' }],
  },
})

/** Returns the microseconds of processor time per item. */
function perItem(work: () => void): string {
  const begun = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begun)
  return ((user + system) / PODS).toFixed(1)
}

const engineOf = (stages: readonly JsonObject[]): StageEngine =>
  new StageEngine({
    stages: stages.map(decodeStage),
    seed: 1,
    onError(_, error) {
      throw error
    },
  })

const pods = Array.from({ length: PODS }, (_, i) => podAt(i))
const texts = pods.map(pod => JSON.stringify(pod))

for (let round = 1; round <= 3; round++)
  for (const [name, stages] of [
    ['fast', FAST_POD_STAGES],
    ['general', GENERAL_POD_STAGES],
  ] as const) {
    const engine = engineOf(stages)
    const parse = perItem(() => {
      for (const text of texts) JSON.parse(text)
    })
    const choose = perItem(() => {
      for (const pod of pods) runAtOnce(engine.observe(pod, 0))
    })
    const render = perItem(() => {
      for (const { object, stage } of engine.takeDue(60_000))
        runAtOnce(stageActions(stage, object, { functions, defaultPatch: 'application/strategic-merge-patch+json' }))
    })
    console.log(
      `round ${round}, ${name}: JSON.parse ${parse}, choice and delay ${choose}, rendering ${render} µs of processor time per pod`,
    )
  }
