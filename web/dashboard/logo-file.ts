// A logo from a file, drawn smaller until it is small enough. Larger than the page shows it, for sharp
// screens.

export type ChosenLogo = { base64: string; path: string; width: number; height: number }

const BYTES_MAX = 32_768
const SIDE_MAX = 1_024
const SIDES = [512, 384, 256, 192, 128, 96]
const TAKEN = ['image/png', 'image/jpeg', 'image/webp']

// Undefined if the browser cannot read the image.
export async function readLogo(file: File): Promise<ChosenLogo | undefined> {
  try {
    const image = await createImageBitmap(file)
    const { width, height } = image
    const isSmall = file.size <= BYTES_MAX && Math.max(width, height) <= SIDE_MAX
    if (isSmall && TAKEN.includes(file.type)) return await chosen(file, { width, height })
    return await shrink(image)
  } catch {
    return undefined
  }
}

async function shrink(image: ImageBitmap): Promise<ChosenLogo | undefined> {
  for (const side of SIDES) {
    const share = Math.min(1, side / Math.max(image.width, image.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(image.width * share))
    canvas.height = Math.max(1, Math.round(image.height * share))
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp'))
    if (blob && blob.size <= BYTES_MAX) return chosen(blob, canvas)
  }
  return undefined
}

type Size = { width: number; height: number }

async function chosen(blob: Blob, { width, height }: Size): Promise<ChosenLogo> {
  const path = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
  return { path, base64: path.slice(path.indexOf(',') + 1), width, height }
}
