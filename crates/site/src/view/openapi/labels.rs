//! The texts of references of APIs in the languages of the interface.

/// The texts of a table in one language.
pub(crate) trait Texts {
    /// Returns the names and the texts.
    fn texts(&self) -> Vec<(&'static str, &'static str)>;
}

/// Defines a type of texts and its languages from a table. Each language has the texts in the order of
/// the fields.
macro_rules! labels {
    ($type:ident $fields:tt $($name:ident = $tag:literal $texts:tt)+) => {
        labels!(@struct $type $fields);
        $(labels!(@language $type $fields $name $texts);)+

        impl $type {
            /// Returns the texts in a language of the interface, or in English.
            pub(crate) fn of(language: &str) -> &'static Self {
                match language {
                    $($tag => &$name,)+
                    _ => &EN,
                }
            }

            /// All languages, for tests.
            #[cfg(test)]
            const ALL: &[(&'static str, &'static Self)] = &[$(($tag, &$name)),+];
        }
    };
    (@struct $type:ident ($($field:ident),+ $(,)?)) => {
        /// The texts in one language.
        #[derive(Debug)]
        pub(crate) struct $type {
            $(pub(crate) $field: &'static str,)+
        }

        impl $crate::view::openapi::Texts for $type {
            fn texts(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($field), self.$field)),+]
            }
        }
    };
    (@language $type:ident ($($field:ident),+ $(,)?) $name:ident ($($text:literal),+ $(,)?)) => {
        const $name: $type = $type { $($field: $text,)+ };
    };
}
pub(super) use labels;

labels! {
    ApiLabels (
        authorization, path_parameters, query_parameters, headers, cookies, body, responses,
        required, deprecated, read_only, write_only, default, example, values, pattern,
        one_of, any_of, other_properties, properties, items, variant, recursive, more,
        webhook, request, scopes, optional_auth, or,
        callbacks, links,
    )
    EN = "en" (
        "Authorization", "Path parameters", "Query parameters", "Headers", "Cookies", "Body", "Responses",
        "required", "deprecated", "read-only", "write-only", "Default:", "Example:", "Possible values:", "Pattern:",
        "One of:", "Any of:", "other properties", "Properties", "Items", "Variant", "See above", "See",
        "Webhook", "Request", "Scopes:", "or without authorization",
        "or",
        "Callbacks", "Links:",
    )
    AR = "ar" (
        "التفويض", "معلمات المسار", "معلمات الاستعلام", "الترويسات", "ملفات تعريف الارتباط", "النص الأساسي", "الاستجابات",
        "مطلوب", "مهمل", "للقراءة فقط", "للكتابة فقط", "الافتراضي:", "مثال:", "القيم الممكنة:", "النمط:",
        "واحد من:", "أي من:", "خصائص أخرى", "الخصائص", "العناصر", "بديل", "انظر أعلاه", "انظر",
        "خطاف ويب", "الطلب", "النطاقات:", "أو بدون تفويض",
        "أو",
        "عمليات الاستدعاء الراجع", "الروابط:",
    )
    CS = "cs" (
        "Autorizace", "Parametry cesty", "Parametry dotazu", "Hlavičky", "Cookies", "Tělo", "Odpovědi",
        "povinné", "zastaralé", "jen pro čtení", "jen pro zápis", "Výchozí:", "Příklad:", "Možné hodnoty:", "Vzor:",
        "Jedno z:", "Kterékoli z:", "další vlastnosti", "Vlastnosti", "Položky", "Varianta", "Viz výše", "Viz",
        "Webhook", "Požadavek", "Rozsahy:", "nebo bez autorizace",
        "nebo",
        "Zpětná volání", "Odkazy:",
    )
    DA = "da" (
        "Autorisation", "Stiparametre", "Forespørgselsparametre", "Headere", "Cookies", "Brødtekst", "Svar",
        "påkrævet", "forældet", "skrivebeskyttet", "kun skrivning", "Standard:", "Eksempel:", "Mulige værdier:", "Mønster:",
        "En af:", "Mindst en af:", "andre egenskaber", "Egenskaber", "Elementer", "Variant", "Se ovenfor", "Se",
        "Webhook", "Anmodning", "Omfang:", "eller uden autorisation",
        "eller",
        "Callbacks", "Links:",
    )
    DE = "de" (
        "Autorisierung", "Pfadparameter", "Abfrageparameter", "Header", "Cookies", "Inhalt der Anfrage", "Antworten",
        "erforderlich", "veraltet", "nur lesbar", "nur schreibbar", "Vorgabe:", "Beispiel:", "Mögliche Werte:", "Muster:",
        "Eines von:", "Mindestens eines von:", "weitere Eigenschaften", "Eigenschaften", "Elemente", "Variante", "Siehe oben", "Siehe",
        "Webhook", "Anfrage", "Berechtigungen:", "oder ohne Autorisierung",
        "oder",
        "Callbacks", "Links:",
    )
    ES = "es" (
        "Autorización", "Parámetros de ruta", "Parámetros de consulta", "Encabezados", "Cookies", "Cuerpo", "Respuestas",
        "obligatorio", "obsoleto", "solo lectura", "solo escritura", "Predeterminado:", "Ejemplo:", "Valores posibles:", "Patrón:",
        "Uno de:", "Cualquiera de:", "otras propiedades", "Propiedades", "Elementos", "Variante", "Véase arriba", "Véase",
        "Webhook", "Solicitud", "Permisos:", "o sin autorización",
        "o",
        "Callbacks", "Enlaces:",
    )
    FA = "fa" (
        "مجوز", "پارامترهای مسیر", "پارامترهای پرس‌وجو", "سرآیندها", "کوکی‌ها", "بدنه", "پاسخ‌ها",
        "الزامی", "منسوخ", "فقط خواندنی", "فقط نوشتنی", "پیش‌فرض:", "مثال:", "مقادیر ممکن:", "الگو:",
        "یکی از:", "هر یک از:", "ویژگی‌های دیگر", "ویژگی‌ها", "موارد", "گونه", "بالا را ببینید", "ببینید",
        "وب‌هوک", "درخواست", "دامنه‌ها:", "یا بدون مجوز",
        "یا",
        "فراخوانی‌های بازگشتی", "پیوندها:",
    )
    FI = "fi" (
        "Valtuutus", "Polun parametrit", "Kyselyn parametrit", "Otsakkeet", "Evästeet", "Sisältö", "Vastaukset",
        "pakollinen", "vanhentunut", "vain luku", "vain kirjoitus", "Oletus:", "Esimerkki:", "Mahdolliset arvot:", "Muoto:",
        "Yksi näistä:", "Jokin näistä:", "muut ominaisuudet", "Ominaisuudet", "Alkiot", "Vaihtoehto", "Katso yllä", "Katso",
        "Webhook", "Pyyntö", "Laajuudet:", "tai ilman valtuutusta",
        "tai",
        "Takaisinkutsut", "Linkit:",
    )
    FR = "fr" (
        "Autorisation", "Paramètres de chemin", "Paramètres de requête", "En-têtes", "Cookies", "Corps", "Réponses",
        "obligatoire", "obsolète", "lecture seule", "écriture seule", "Valeur par défaut :", "Exemple :", "Valeurs possibles :", "Motif :",
        "L’un de :", "Au moins l’un de :", "autres propriétés", "Propriétés", "Éléments", "Variante", "Voir ci-dessus", "Voir",
        "Webhook", "Requête", "Portées :", "ou sans autorisation",
        "ou",
        "Callbacks", "Liens :",
    )
    HE = "he" (
        "הרשאה", "פרמטרים בנתיב", "פרמטרים בשאילתה", "כותרות", "עוגיות", "גוף", "תגובות",
        "נדרש", "יצא משימוש", "לקריאה בלבד", "לכתיבה בלבד", "ברירת מחדל:", "דוגמה:", "ערכים אפשריים:", "תבנית:",
        "אחד מאלה:", "לפחות אחד מאלה:", "מאפיינים אחרים", "מאפיינים", "פריטים", "חלופה", "ראו למעלה", "ראו",
        "Webhook", "בקשה", "היקפים:", "או ללא הרשאה",
        "או",
        "קריאות חוזרות", "קישורים:",
    )
    ID = "id" (
        "Otorisasi", "Parameter jalur", "Parameter kueri", "Header", "Kuki", "Isi", "Respons",
        "wajib", "usang", "hanya baca", "hanya tulis", "Bawaan:", "Contoh:", "Nilai yang mungkin:", "Pola:",
        "Salah satu dari:", "Setidaknya satu dari:", "properti lain", "Properti", "Item", "Varian", "Lihat di atas", "Lihat",
        "Webhook", "Permintaan", "Cakupan:", "atau tanpa otorisasi",
        "atau",
        "Callback", "Tautan:",
    )
    IT = "it" (
        "Autorizzazione", "Parametri del percorso", "Parametri della query", "Intestazioni", "Cookie", "Corpo", "Risposte",
        "obbligatorio", "deprecato", "sola lettura", "sola scrittura", "Predefinito:", "Esempio:", "Valori possibili:", "Modello:",
        "Uno tra:", "Almeno uno tra:", "altre proprietà", "Proprietà", "Elementi", "Variante", "Vedi sopra", "Vedi",
        "Webhook", "Richiesta", "Ambiti:", "o senza autorizzazione",
        "oppure",
        "Callback", "Collegamenti:",
    )
    JA = "ja" (
        "認可", "パスパラメータ", "クエリパラメータ", "ヘッダー", "Cookie", "本文", "レスポンス",
        "必須", "非推奨", "読み取り専用", "書き込み専用", "既定値:", "例:", "指定できる値:", "パターン:",
        "次のいずれか 1 つ:", "次のいずれか:", "その他のプロパティ", "プロパティ", "項目", "バリアント", "上記を参照", "参照:",
        "Webhook", "リクエスト", "スコープ:", "または認可なし",
        "または",
        "コールバック", "リンク:",
    )
    KO = "ko" (
        "권한 부여", "경로 매개변수", "쿼리 매개변수", "헤더", "쿠키", "본문", "응답",
        "필수", "사용 중단됨", "읽기 전용", "쓰기 전용", "기본값:", "예:", "가능한 값:", "패턴:",
        "다음 중 하나:", "다음 중 하나 이상:", "기타 속성", "속성", "항목", "변형", "위 참조", "참조:",
        "웹훅", "요청", "범위:", "또는 권한 부여 없음",
        "또는",
        "콜백", "링크:",
    )
    NL = "nl" (
        "Autorisatie", "Padparameters", "Queryparameters", "Headers", "Cookies", "Inhoud", "Antwoorden",
        "verplicht", "verouderd", "alleen lezen", "alleen schrijven", "Standaard:", "Voorbeeld:", "Mogelijke waarden:", "Patroon:",
        "Een van:", "Minstens een van:", "andere eigenschappen", "Eigenschappen", "Items", "Variant", "Zie boven", "Zie",
        "Webhook", "Verzoek", "Bereiken:", "of zonder autorisatie",
        "of",
        "Callbacks", "Links:",
    )
    NO = "no" (
        "Autorisasjon", "Stiparametere", "Spørringsparametere", "Hoder", "Informasjonskapsler", "Innhold", "Svar",
        "påkrevd", "utfaset", "skrivebeskyttet", "bare skriving", "Standard:", "Eksempel:", "Mulige verdier:", "Mønster:",
        "En av:", "Minst en av:", "andre egenskaper", "Egenskaper", "Elementer", "Variant", "Se over", "Se",
        "Webhook", "Forespørsel", "Omfang:", "eller uten autorisasjon",
        "eller",
        "Tilbakekall", "Lenker:",
    )
    PL = "pl" (
        "Autoryzacja", "Parametry ścieżki", "Parametry zapytania", "Nagłówki", "Ciasteczka", "Treść", "Odpowiedzi",
        "wymagane", "przestarzałe", "tylko do odczytu", "tylko do zapisu", "Domyślnie:", "Przykład:", "Możliwe wartości:", "Wzorzec:",
        "Jedno z:", "Co najmniej jedno z:", "inne właściwości", "Właściwości", "Elementy", "Wariant", "Zobacz powyżej", "Zobacz",
        "Webhook", "Żądanie", "Zakresy:", "lub bez autoryzacji",
        "lub",
        "Wywołania zwrotne", "Odnośniki:",
    )
    PT = "pt" (
        "Autorização", "Parâmetros de caminho", "Parâmetros de consulta", "Cabeçalhos", "Cookies", "Corpo", "Respostas",
        "obrigatório", "obsoleto", "somente leitura", "somente escrita", "Padrão:", "Exemplo:", "Valores possíveis:", "Formato:",
        "Um de:", "Pelo menos um de:", "outras propriedades", "Propriedades", "Itens", "Variante", "Ver acima", "Ver",
        "Webhook", "Requisição", "Escopos:", "ou sem autorização",
        "ou",
        "Callbacks", "Ligações:",
    )
    RU = "ru" (
        "Авторизация", "Параметры пути", "Параметры запроса", "Заголовки", "Cookie", "Тело", "Ответы",
        "обязательно", "устарело", "только чтение", "только запись", "По умолчанию:", "Пример:", "Возможные значения:", "Шаблон:",
        "Одно из:", "Любое из:", "другие свойства", "Свойства", "Элементы", "Вариант", "См. выше", "См.",
        "Вебхук", "Запрос", "Области доступа:", "или без авторизации",
        "или",
        "Обратные вызовы", "Ссылки:",
    )
    SV = "sv" (
        "Auktorisering", "Sökvägsparametrar", "Frågeparametrar", "Huvuden", "Kakor", "Innehåll", "Svar",
        "obligatorisk", "utfasad", "skrivskyddad", "endast skrivning", "Standard:", "Exempel:", "Möjliga värden:", "Mönster:",
        "En av:", "Minst en av:", "andra egenskaper", "Egenskaper", "Element", "Variant", "Se ovan", "Se",
        "Webhook", "Begäran", "Omfattningar:", "eller utan auktorisering",
        "eller",
        "Återanrop", "Länkar:",
    )
    TR = "tr" (
        "Yetkilendirme", "Yol parametreleri", "Sorgu parametreleri", "Başlıklar", "Çerezler", "Gövde", "Yanıtlar",
        "zorunlu", "kullanımdan kaldırıldı", "salt okunur", "salt yazılır", "Varsayılan:", "Örnek:", "Olası değerler:", "Kalıp:",
        "Şunlardan biri:", "Şunlardan en az biri:", "diğer özellikler", "Özellikler", "Öğeler", "Seçenek", "Yukarıya bakın", "Bakınız:",
        "Webhook", "İstek", "Kapsamlar:", "veya yetkilendirme olmadan",
        "veya",
        "Geri çağrılar", "Bağlantılar:",
    )
    UK = "uk" (
        "Авторизація", "Параметри шляху", "Параметри запиту", "Заголовки", "Cookie", "Тіло", "Відповіді",
        "обов’язково", "застаріло", "лише читання", "лише запис", "За замовчуванням:", "Приклад:", "Можливі значення:", "Шаблон:",
        "Одне з:", "Будь-яке з:", "інші властивості", "Властивості", "Елементи", "Варіант", "Див. вище", "Див.",
        "Вебхук", "Запит", "Області доступу:", "або без авторизації",
        "або",
        "Зворотні виклики", "Посилання:",
    )
    VI = "vi" (
        "Ủy quyền", "Tham số đường dẫn", "Tham số truy vấn", "Tiêu đề", "Cookie", "Nội dung", "Phản hồi",
        "bắt buộc", "không dùng nữa", "chỉ đọc", "chỉ ghi", "Mặc định:", "Ví dụ:", "Giá trị có thể:", "Mẫu:",
        "Một trong:", "Ít nhất một trong:", "thuộc tính khác", "Thuộc tính", "Phần tử", "Biến thể", "Xem ở trên", "Xem",
        "Webhook", "Yêu cầu", "Phạm vi:", "hoặc không cần ủy quyền",
        "hoặc",
        "Lệnh gọi lại", "Liên kết:",
    )
    ZH_CN = "zh-CN" (
        "授权", "路径参数", "查询参数", "标头", "Cookie", "请求体", "响应",
        "必填", "已弃用", "只读", "只写", "默认值：", "示例：", "可选值：", "格式：",
        "以下之一：", "以下任意项：", "其他属性", "属性", "元素", "变体", "见上文", "参见",
        "Webhook", "请求", "权限范围：", "或无需授权",
        "或",
        "回调", "链接：",
    )
    ZH_TW = "zh-TW" (
        "授權", "路徑參數", "查詢參數", "標頭", "Cookie", "請求主體", "回應",
        "必填", "已棄用", "唯讀", "唯寫", "預設值：", "範例：", "可用的值：", "格式：",
        "下列其中一項：", "下列任一項：", "其他屬性", "屬性", "元素", "變體", "請見上方", "請見",
        "Webhook", "請求", "權限範圍：", "或無需授權",
        "或",
        "回呼", "連結：",
    )
}

#[cfg(test)]
mod tests {
    use super::{ApiLabels, Texts as _};
    use crate::i18n::LANGUAGES;

    #[test]
    fn every_language_of_the_interface_has_all_texts() {
        let tags: Vec<&str> = ApiLabels::ALL.iter().map(|(tag, _)| *tag).collect();
        for language in &LANGUAGES {
            assert!(tags.contains(&language.language), "{}", language.language);
        }
        for (tag, labels) in ApiLabels::ALL {
            assert!(labels.texts().iter().all(|(_, text)| !text.is_empty()), "{tag}");
        }
    }
}
