import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Json, type JsonObject, objectIn } from '../../src/api/meta/object.ts'
import { stageActions } from '../../src/cluster/kwok/stage/actions.ts'
import { possibleStages } from '../../src/cluster/kwok/stage/choose.ts'
import { decodeStage } from '../../src/cluster/kwok/stage/decode.ts'
import type { Stage, StageSubject } from '../../src/cluster/kwok/stage/stage.ts'
import { delayRange } from '../../src/cluster/kwok/stage/timing.ts'
import { parseYaml } from '../../src/codec/yaml.ts'
import { runAtOnce } from '../../src/lib/steps.ts'
import { PLACEHOLDERS } from './kwok-placeholders.ts'

/** An object and the expected result of a folder's stages for it. */
interface StagePair {
  readonly name: string
  readonly stages: readonly Json[]
  readonly input: JsonObject
  readonly expected: Json
}

/** Time at which delays are counted. */
const NOW = Date.UTC(2006, 0, 2, 15, 4, 5)

const readYaml = (path: string): Json => parseYaml(readFileSync(path)).value

/**
 * Returns the pairs below a folder: `F/testdata/NAME.input.yaml` and `NAME.output.yaml`, with the stage files of `F`.
 */
export function stagePairs(folder: string): StagePair[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return names.flatMap(name => {
    const [, own, base] = /^(.*)[/\\]testdata[/\\]([^/\\]+)\.input\.yaml$/.exec(name) ?? []
    if (own === undefined || base === undefined) return []
    const files = readdirSync(join(folder, own)).filter(file => file.endsWith('.yaml') && file !== 'kustomization.yaml')
    const stages = files.map(file => readYaml(join(folder, own, file))).filter(object => objectIn(object).kind === 'Stage')
    const path = join(folder, own, 'testdata', base)
    return [{ name: `${own}/${base}`, stages, input: objectIn(readYaml(`${path}.input.yaml`)), expected: readYaml(`${path}.output.yaml`) }]
  })
}

/**
 * Returns what stages make of an object, in the form of kwok's own tests: each stage that may be chosen, with its
 * weight, delay and rendered steps.
 */
export function stageResult(stages: readonly Json[], object: JsonObject): Json {
  const metadata = objectIn(object.metadata)
  const subject: StageSubject = { object, labels: textsOf(metadata.labels), annotations: textsOf(metadata.annotations), now: NOW }
  const own = stages.map(decodeStage).filter(({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind)
  return {
    apiGroup: object.apiVersion ?? null,
    kind: object.kind ?? null,
    name: metadata.name ?? null,
    ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    stages: runAtOnce(possibleStages(own, subject)).map(stage => resultOf(stage, subject, object)),
  }
}

const textsOf = (map: Json | undefined): Record<string, string> => objectIn(map) as Record<string, string>

function resultOf(stage: Stage, subject: StageSubject, object: JsonObject): Json {
  const delay = delayRange(stage, subject)
  const weight = stage.weight(subject)
  const actions = runAtOnce(stageActions(stage, object, { functions: PLACEHOLDERS, defaultPatch: 'application/merge-patch+json' }))
  return {
    stage: stage.name,
    ...(delay && { delay: delay.map(milliseconds => milliseconds * 1e6) }),
    ...(weight !== undefined && { weight }),
    next: [
      ...actions.map((action): Json => {
        if (action.kind === 'event') return { kind: 'event', ...action.event }
        if (action.kind === 'delete') return { kind: 'delete' }
        const { kind, type, data, subresource, impersonation } = action
        return { kind, type, data, ...(subresource !== '' && { subresource }), ...(impersonation !== undefined && { impersonation }) }
      }),
      ...(stage.immediateNextStage ? [{ kind: 'immediate' }] : []),
    ],
  }
}
