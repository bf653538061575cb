import { type ListeningRedisConnection, openListeningRedis } from '@keyferry/plumbing/redis-connection'
import { unavailable } from '../domain/base/errors.ts'

export type NoticeRedis = ListeningRedisConnection

/** The API's two connections: one for commands, one that listens.
 * @param onError gets each lost connection, for the log
 * @throws DomainError unavailable */
export async function openRedis(
  url: string | (() => string),
  onError: (error: Error) => void,
): Promise<NoticeRedis> {
  return await openListeningRedis({
    url: typeof url === 'string' ? () => url : url,
    onError,
    unavailable: (cause) => unavailable('Redis', cause),
  })
}
