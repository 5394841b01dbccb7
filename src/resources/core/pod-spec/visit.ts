import type { FieldPath } from '../../../meta/field-path.ts'
import type { ApiStruct } from '../checks.ts'

/** Every container of a spec: init containers, containers, ephemeral ones. */
export function* allContainers(spec: ApiStruct): Generator<ApiStruct> {
  yield* spec.initContainers ?? []
  yield* spec.containers ?? []
  yield* spec.ephemeralContainers ?? []
}

/** The same with the path of each. */
export function* containersWithPath(spec: ApiStruct, path: FieldPath): Generator<[container: ApiStruct, path: FieldPath]> {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    const containers: ApiStruct[] = spec[list] ?? []
    if (containers.length === 0) continue
    const at = path.child(list)
    for (let i = 0; i < containers.length; i++) yield [containers[i], at.index(i)]
  }
}

export const isSidecar = (container: ApiStruct): boolean => container.restartPolicy === 'Always'

export function* containersAndInit(spec: ApiStruct): Generator<ApiStruct> {
  yield* spec.containers ?? []
  yield* spec.initContainers ?? []
}
