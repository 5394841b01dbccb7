import type { KubeObject } from '../../../meta/object.ts'
import type { DefinitionVersion } from './spec.ts'

const HTTPS_PORT = 443

export function setDefinitionDefaults({ spec, status }: KubeObject): void {
  const { names } = spec
  names.singular ||= names.kind.toLowerCase()
  if (!names.singular) delete names.singular
  if (!names.listKind && names.kind) names.listKind = `${names.kind}List`
  spec.conversion ??= { strategy: 'None' }
  const service = spec.conversion.webhook?.clientConfig?.service
  if (service) service.port ??= HTTPS_PORT
  if ((status.storedVersions ?? []).length > 0) return
  const stored = storageVersion(spec.versions)
  if (stored !== undefined) status.storedVersions = [stored]
}

/** The first version in which objects are stored. */
export const storageVersion = (versions: readonly DefinitionVersion[] | null): string | undefined => versions?.find(({ storage }) => storage)?.name
