export default function Accounting() {
  return null
}
