import { z } from 'zod'
import { Flag, Id, PathPart, Position } from './text.ts'

export const AttachmentParams = z.object({ bundle_id: PathPart('bundle_id'), key_id: PathPart('key_id') })

export const AttachKey = z
  .object({ order: Position.optional(), required: Flag('required').default(false) })
  .meta({ id: 'AttachKey', examples: [{ order: 0, required: true }] })

export const ReorderKey = z.object({ order: Position }).meta({ id: 'ReorderKey', examples: [{ order: 2 }] })

export const ChangeAttachment = z
  .object({ required: Flag('required') })
  .meta({ id: 'ChangeAttachment', examples: [{ required: true }] })

export const AttachedKeyList = z
  .array(
    z
      .object({
        id: Id,
        name: z.string(),
        value: z.string(),
        is_secret: z.boolean(),
        order: z.int(),
        required: z.boolean(),
      })
      .meta({ id: 'AttachedKey' }),
  )
  .meta({
    id: 'AttachedKeyList',
    examples: [
      [
        {
          id: '5a0c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
          name: 'DATABASE_URL',
          value: '*****',
          is_secret: true,
          order: 0,
          required: false,
        },
      ],
    ],
  })
