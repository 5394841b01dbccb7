import { JSON_TYPE, type Transform, YAML_TYPE } from '../../../codec/accept-header.ts'
import { failure, type StatusError } from '../../../meta/status.ts'
import type { Scope } from '../../scope.ts'

const notAcceptable = (message: string): StatusError => failure(406, 'NotAcceptable', message)

/** Throws a StatusError if a single object is requested as PartialObjectMetadataList. */
export function checkAsksObject({ kind }: Transform, { dialect, served, subresource }: Scope): void {
  if (kind === 'PartialObjectMetadataList') throw dialect.noListError(served.version, subresource?.kind)
}

/** Throws 406 if a list is requested as PartialObjectMetadata. */
export function checkAsksList({ kind }: Transform, { dialect, served }: Scope): void {
  if (kind === 'PartialObjectMetadata')
    throw notAcceptable(
      `you requested PartialObjectMetadata, but the requested object is a list (*${dialect.goType(served.version, 'List')})`,
    )
}

/** Returns the error for a list whose items are not stored: it has no metadata form. */
export const noPlainMetadata = (): StatusError => notAcceptable(`only the following media types are accepted: ${JSON_TYPE}, ${YAML_TYPE}`)
