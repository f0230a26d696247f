"""Well-known apps: the names people use, and the packages that makers and stores ship under them.

Within a row the earlier package is preferred when several are installed: the one that comes with the phone's own
system first. Package names as on phones and in store listings; labels in English and Chinese.
"""

from __future__ import annotations

_ROWS: tuple[tuple[str, str], ...] = (
    ("settings, system settings, 设置, 系统设置", "com.android.settings"),
    (
        "contacts, people, address book, 通讯录, 联系人",
        "com.google.android.contacts com.samsung.android.app.contacts com.android.contacts com.huawei.contacts",
    ),
    (
        "phone, dialer, telephone, 电话, 拨号",
        "com.google.android.dialer com.samsung.android.dialer com.android.dialer com.android.contacts",
    ),
    (
        "messages, messaging, sms, text messages, 短信, 信息",
        "com.google.android.apps.messaging com.samsung.android.messaging com.android.mms com.android.messaging",
    ),
    (
        "camera, 相机",
        "com.google.android.GoogleCamera com.sec.android.app.camera com.android.camera com.huawei.camera "
        "com.oppo.camera com.oplus.camera com.android.camera2",
    ),
    (
        "clock, alarm, alarms, timer, stopwatch, 时钟, 闹钟",
        "com.google.android.deskclock com.sec.android.app.clockpackage com.android.deskclock com.oneplus.deskclock "
        "com.coloros.alarmclock com.android.BBKClock",
    ),
    (
        "calendar, 日历",
        "com.google.android.calendar com.samsung.android.calendar com.android.calendar com.xiaomi.calendar "
        "com.coloros.calendar com.bbk.calendar",
    ),
    (
        "calculator, 计算器",
        "com.google.android.calculator com.sec.android.app.popupcalculator com.miui.calculator "
        "com.huawei.calculator com.coloros.calculator com.android.calculator2 com.android.bbkcalculator",
    ),
    (
        "files, file manager, my files, 文件, 文件管理",
        "com.google.android.apps.nbu.files com.sec.android.app.myfiles com.android.fileexplorer "
        "com.mi.android.globalFileexplorer com.huawei.filemanager com.coloros.filemanager "
        "com.google.android.documentsui com.android.documentsui",
    ),
    (
        "gallery, photos, pictures, album, 相册, 图库, 照片",
        "com.sec.android.gallery3d com.miui.gallery com.huawei.photos com.coloros.gallery3d com.vivo.gallery "
        "com.google.android.apps.photos com.android.gallery3d",
    ),
    (
        "browser, web browser, internet, 浏览器",
        "com.android.chrome com.sec.android.app.sbrowser com.android.browser com.huawei.browser com.heytap.browser "
        "com.vivo.browser org.mozilla.firefox",
    ),
    ("chrome, google chrome", "com.android.chrome"),
    ("firefox", "org.mozilla.firefox"),
    (
        "email, mail, e-mail, 邮件, 电子邮件",
        "com.google.android.gm com.samsung.android.email.provider com.android.email",
    ),
    ("gmail, google mail", "com.google.android.gm"),
    (
        "notes, memo, 便签, 备忘录, 笔记",
        "com.google.android.keep com.samsung.android.app.notes com.miui.notes com.huawei.notepad "
        "com.coloros.note com.android.notes",
    ),
    ("maps, google maps, 谷歌地图", "com.google.android.apps.maps"),
    ("play store, google play, app store, 应用商店", "com.android.vending com.xiaomi.market com.huawei.appmarket"),
    (
        "music, 音乐",
        "com.google.android.apps.youtube.music com.sec.android.app.music com.miui.player com.android.music",
    ),
    (
        "recorder, voice recorder, sound recorder, 录音机, 录音",
        "com.google.android.apps.recorder "
        "com.sec.android.app.voicenote com.android.soundrecorder com.coloros.soundrecorder",
    ),
    (
        "weather, 天气",
        "com.google.android.apps.weather com.sec.android.daemonapp com.miui.weather2 com.huawei.android.totemweather",
    ),
    ("youtube", "com.google.android.youtube"),
    ("drive, google drive", "com.google.android.apps.docs"),
    ("whatsapp", "com.whatsapp"),
    ("telegram", "org.telegram.messenger"),
    ("signal", "org.thoughtcrime.securesms"),
    ("facebook", "com.facebook.katana"),
    ("messenger, facebook messenger", "com.facebook.orca"),
    ("instagram", "com.instagram.android"),
    ("x, twitter", "com.twitter.android"),
    ("tiktok", "com.zhiliaoapp.musically com.ss.android.ugc.trill"),
    ("spotify", "com.spotify.music"),
    ("netflix", "com.netflix.mediaclient"),
    ("amazon, amazon shopping", "com.amazon.mShop.android.shopping"),
    ("reddit", "com.reddit.frontpage"),
    ("discord", "com.discord"),
    ("zoom", "us.zoom.videomeetings"),
    ("uber", "com.ubercab"),
    ("wechat, weixin, 微信", "com.tencent.mm"),
    ("qq", "com.tencent.mobileqq"),
    ("alipay, 支付宝", "com.eg.android.AlipayGphone"),
    ("taobao, 淘宝", "com.taobao.taobao"),
    ("jd, jingdong, 京东", "com.jingdong.app.mall"),
    ("pinduoduo, 拼多多", "com.xunmeng.pinduoduo"),
    ("meituan, 美团", "com.sankuai.meituan"),
    ("douyin, 抖音", "com.ss.android.ugc.aweme"),
    ("weibo, 微博", "com.sina.weibo"),
    ("bilibili, 哔哩哔哩, b站", "tv.danmaku.bili"),
    ("xiaohongshu, rednote, 小红书", "com.xingin.xhs"),
    ("zhihu, 知乎", "com.zhihu.android"),
    ("baidu, 百度", "com.baidu.searchbox"),
    ("baidu maps, 百度地图", "com.baidu.BaiduMap"),
    ("amap, gaode, 高德地图, 高德", "com.autonavi.minimap"),
    ("didi, 滴滴, 滴滴出行", "com.sdu.didi.psnger"),
    ("netease music, 网易云音乐", "com.netease.cloudmusic"),
    ("qq music, qq音乐", "com.tencent.qqmusic"),
)

WELL_KNOWN: dict[str, tuple[str, ...]] = {
    name.strip(): tuple(packages.split()) for names, packages in _ROWS for name in names.split(",")
}
"""Plain name (lower case) to packages."""

SYNONYMS: dict[str, tuple[str, ...]] = {
    name.strip(): tuple(other.strip() for other in names.split(",")) for names, _ in _ROWS for name in names.split(",")
}
"""Plain name to all names of the same app, itself among them."""
