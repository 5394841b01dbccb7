import type { KubeObject } from '../../../meta/object.ts'
import { badRequestError } from '../../../meta/status.ts'
import type { ApiStruct } from '../checks.ts'
import { allContainers } from '../pod-spec/visit.ts'

/** The container that a request for a pod means: the one that it names, or the only one. Throws 400. */
export function containerName(pod: KubeObject, asked: string): string {
  const all = [...allContainers(pod.spec)].map(container => container.name)
  const name = pod.metadata.name ?? ''
  if (asked !== '') {
    if (!all.includes(asked)) throw badRequestError(`container ${asked} is not valid for pod ${name}`)
    return asked
  }
  const containers: ApiStruct[] = pod.spec.containers ?? []
  if (containers.length === 1) return containers[0]?.name
  if (containers.length === 0) throw badRequestError(`a container name must be specified for pod ${name}`)
  throw badRequestError(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`)
}
