/** Media types of patches. */
export const JSON_PATCH = 'application/json-patch+json'
/** RFC 7396. */
export const MERGE_PATCH = 'application/merge-patch+json'
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
export const APPLY_PATCH = 'application/apply-patch+yaml'
/** Supported if CBOR is. */
export const APPLY_CBOR_PATCH = 'application/apply-patch+cbor'
