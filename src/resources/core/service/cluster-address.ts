import type { KubeObject } from '../../../meta/object.ts'

/** Where the server itself reaches a port of a service: at its cluster IP, or the external name that it stands for. Throws an Error with upstream's text where it can't. */
export function clusterAddress({ metadata, spec }: KubeObject, port: number): { readonly host: string; readonly port: number } {
  const { type, clusterIP, externalName, ports = [] } = spec
  if (type === 'ExternalName') return { host: externalName, port }
  if (type === 'ClusterIP' && clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"')
  if (!ports.some((each: { port: number }) => each.port === port)) throw new Error(`no service port ${port} found for service ${JSON.stringify(metadata.name)}`)
  return { host: clusterIP, port }
}
