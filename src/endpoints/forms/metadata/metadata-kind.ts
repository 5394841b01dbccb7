import { JSON_TYPE, type Transform, YAML_TYPE } from '../../../codec/accept-header.ts'
import { failure, type StatusError } from '../../../meta/status.ts'
import type { Scope } from '../../scope.ts'

const notAcceptable = (message: string): StatusError => failure(406, 'NotAcceptable', message)

/** Throws 406 if a single object is requested as PartialObjectMetadataList. */
export function checkAsksObject({ kind }: Transform, scope: Scope): void {
  if (kind === 'PartialObjectMetadataList')
    throw notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (*${dialectGoType(scope, '')})`)
}

/** Throws 406 if a list is requested as PartialObjectMetadata. */
export function checkAsksList({ kind }: Transform, scope: Scope): void {
  if (kind === 'PartialObjectMetadata')
    throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (*${dialectGoType(scope, 'List')})`)
}

/** Returns the error for a list whose items are not stored: it has no metadata form. */
export const noPlainMetadata = (): StatusError => notAcceptable(`only the following media types are accepted: ${JSON_TYPE}, ${YAML_TYPE}`)

const dialectGoType = ({ dialect, served }: Scope, suffix: '' | 'List'): string => dialect.goType(served.version, suffix)
