/**
 * Layout of a bbolt file, the database of etcd. Fields are little-endian. A page has its id (8), flags (2), count (2)
 * and overflow (4), then elements of 16 bytes that point at keys and values. https://github.com/etcd-io/bbolt (page.go,
 * bucket.go)
 */
export const MAGIC = 0xed0cdaed
export const VERSION = 2
/** Sizes in bytes. */
export const PAGE_HEADER = 16
export const ELEMENT = 16
export const BUCKET_HEADER = 16
/** Flags of a page, one of which each page has. */
export const [BRANCH, LEAF, META, FREE_LIST] = [0x01, 0x02, 0x04, 0x10]
/** Flag of a leaf element whose value is a bucket. */
export const IS_BUCKET = 1
/** Bytes of a meta page before its checksum. */
export const META_FIELDS = 56

/** 64-bit FNV-1a, the checksum of a meta page. */
export function fnv1a(bytes: Buffer): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  return hash
}
